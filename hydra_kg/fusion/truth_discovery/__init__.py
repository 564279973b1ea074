"""The methods that decide which claims are true, one module per method or paper."""
