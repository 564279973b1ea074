"""What every request passes before a route answers it, and what that needs: options, problems as replies, counts."""
