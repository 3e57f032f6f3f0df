"""Reports of runs: an HTML page, a picture, CSV, JSON, and tables for a terminal."""
