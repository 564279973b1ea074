// How many explorations of other stores were pushed here, with facts that only they brought.
// Parameters: none. Columns: questions.
MATCH (q:HydraQuestion) WHERE q.created >= '' AND q.pushed
RETURN count(*) AS questions
