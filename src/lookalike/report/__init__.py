"""Results as pictures: charts from plain numbers, and files to share them in."""
