"""The methods that decide which claims are true, one module for each method or paper."""
