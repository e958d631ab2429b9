"""The language PH(@): its syntax, parser and printer, and what names stand for."""
