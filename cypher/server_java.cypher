// The Java that the server runs on; administrators only.
// Parameters: none. Columns: java.
CALL dbms.queryJmx('java.lang:type=Runtime') YIELD attributes
RETURN toString(attributes.SpecVersion.value) AS java
