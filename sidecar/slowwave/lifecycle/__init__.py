"""ENGINE 2: memories age. Summarize, promote, expire, decay and archive; plan, then apply.

policy       every number, with where it comes from
summarize    episodes of a window become a summary
promote      repeated credible episodes become one fact
expire, decay, archive   what time does to one record: one pure question each
plan         all five over given records, pure; a dry run is this
maintenance  a pass: read, plan, stage, publish, apply; and what a kill left
filed        records that are memory files: text, row, publication
schedule     when a pass is due by itself
remember, forget, explain, carry   what a person does with records
"""
