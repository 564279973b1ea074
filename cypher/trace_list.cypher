// The newest kept answers.
// Parameters: limit. Columns: id, question, answer_text, verdict, label, strategy, abstained, created.
MATCH (q:HydraQuestion) WHERE q.created >= ''
RETURN q.id AS id, q.text AS question, q.answer_text AS answer_text, q.verdict AS verdict, q.label AS label,
       q.strategy AS strategy, q.abstained AS abstained, q.created AS created
ORDER BY created DESC LIMIT $limit
