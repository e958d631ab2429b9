"""Small releases, tables and logs that ship with phverify."""
