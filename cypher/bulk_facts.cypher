// How many facts between nodes each load has. Runs once after an import.
// Scans: HydraEntity. Parameters: span (of handles). Columns: load (number), facts.
MATCH (:HydraEntity)-[r]->() WHERE r.h IS :: INTEGER NOT NULL
RETURN r.h / $span AS load, count(*) AS facts
