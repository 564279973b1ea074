// The predicates of some loads.
// Parameters: loads (ids). Columns: load, and lists: id, key, text, inverse, count.
MATCH (p:HydraPredicate) WHERE p.load IN $loads
RETURN p.load AS load, collect(p.id) AS id, collect(p.key) AS key, collect(p.text) AS text,
       collect(p.inverse) AS inverse, collect(p.count) AS count
