"""Datasets on disk: shards, manifest, resume; and the weighted sources a recipe names."""
