"""Problems -> candidate equations: plans (which numbers to combine), the batched search, executors, resuming."""
