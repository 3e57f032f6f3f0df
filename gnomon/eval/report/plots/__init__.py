"""Small charts as inline SVG: no script, no network, colours from the page's CSS variables."""
