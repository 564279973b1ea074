"""Values of things: attributes, whether there are any, and several that become one."""
