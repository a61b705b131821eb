// Adapter.
