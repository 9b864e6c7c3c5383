"""kube-scheduler's score plugins: whole numbers from 0 to 100, in its own order of operations."""
