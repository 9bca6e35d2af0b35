pub fn amx_is_available() -> bool { true }
