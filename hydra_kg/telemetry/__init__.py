"""OpenTelemetry spans of questions, sent only where the settings say so (group ``telemetry``)."""
