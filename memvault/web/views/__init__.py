"""The views: each answers one address of the table in `web/app.py`."""
