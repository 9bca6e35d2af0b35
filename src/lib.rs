//! Treeline.
