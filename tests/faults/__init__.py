"""Memory, disk and system calls that fail at the k-th time: every verb ends with its result or a clear error."""
