"""Text as plain data that knows its place: YAML and JSON with file, line and path, for every dialect."""
