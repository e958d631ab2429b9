"""Query histories of databases and warehouses, read into statements of a log."""
