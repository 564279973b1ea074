"""Send OpenTelemetry spans of questions, only if the settings say so (group ``telemetry``)."""
