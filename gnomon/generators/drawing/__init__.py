"""What several kinds draw with."""
