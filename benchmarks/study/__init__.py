"""Whether the numeric losses help: PLAN.md, the runs, and the tables of docs/study.md."""
