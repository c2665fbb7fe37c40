//! Each rule is broken once.

use super::*;
