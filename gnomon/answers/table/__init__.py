"""Tables read off charts."""
