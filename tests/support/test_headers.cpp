// The object that owns the headers precompiled for tests.
