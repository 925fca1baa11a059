"""JSON in text: found, mended and bounded."""
