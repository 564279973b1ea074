"""The web application: built files for the browser, and the readable parts of replies that it shows."""
