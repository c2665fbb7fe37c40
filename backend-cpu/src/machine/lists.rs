//! The lists of a machine, which the next one of the same thread has after it: machines are made as often as small kernels run,
//! and asking the system for memory would take longer than many of these.

use super::bent::Bent;
use super::checked::Remembered;
use super::load::Access;
use super::{Machine, Target};
use std::cell::RefCell;
use std::mem::take;

/// Lists of a [`Machine`], under its names for them.
#[derive(Default)]
pub(super) struct Lists {
    pub home: Vec<*mut u8>,
    pub at: Vec<*const u8>,
    pub access: Vec<Access>,
    pub coords: Vec<i64>,
    pub offsets: Vec<i64>,
    pub shared: Vec<usize>,
    pub remembered: Vec<Remembered>,
    pub targets: Vec<Option<Target>>,
    pub bent: Vec<Bent>,
}

thread_local! {
    static KEPT: RefCell<Vec<Lists>> = const { RefCell::new(vec![]) };
}

impl Lists {
    /// Empty lists, but for those whose elements have memory of their own: these are as they were.
    pub fn new() -> Self {
        let kept = KEPT.with(|kept| kept.try_borrow_mut().ok().and_then(|mut kept| kept.pop()));
        let mut lists = kept.unwrap_or_default();
        lists.home.clear();
        lists.at.clear();
        lists.coords.clear();
        lists.offsets.clear();
        lists.shared.clear();
        lists.targets.clear();
        lists.bent.clear();
        lists
    }
}

impl Drop for Machine<'_> {
    fn drop(&mut self) {
        let lists = Lists {
            home: take(&mut self.home),
            at: take(&mut self.at),
            access: take(&mut self.access),
            coords: take(&mut self.coords),
            offsets: take(&mut self.offsets),
            shared: take(&mut self.shared),
            remembered: take(&mut self.remembered),
            targets: take(&mut self.targets),
            bent: take(&mut self.bent),
        };
        // Where the thread is ending, the memory is simply freed.
        let _ = KEPT.try_with(|kept| {
            if let Ok(mut kept) = kept.try_borrow_mut() {
                kept.push(lists);
            }
        });
    }
}
