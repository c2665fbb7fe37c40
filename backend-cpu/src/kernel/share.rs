//! How the items of a pass are shared out: every thread begins with a part of its own and claims it piece by piece; one that
//! is done helps the others.
//!
//! What a task makes ready (a machine, memory) is made once a thread. Pieces get smaller towards the end of a part, so that
//! all threads end at about the same time: one that has to wait goes to sleep, and waking it for the next pass takes as long
//! as a small pass.

use crate::passes::Team;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicI64, Ordering};

/// A claim takes this part of what is left.
const PART: i64 = 4;

/// Calls `task` on claims that together are `0..items`, on several threads where it pays: one pass.
pub(crate) fn share(
    team: Team,
    items: i64,
    work_per_item: usize,
    task: impl Fn(Claims<'_>) + Sync,
) {
    let pieces = team.begin(items, work_per_item);
    let threads = team.threads.min(pieces).max(1);
    let parts: Vec<Part> = parts(items.max(0), threads).collect();
    let claims = |first| Claims {
        parts: &parts,
        first,
        least: if threads == 1 {
            items
        } else {
            items.unsigned_abs().div_ceil(pieces as u64) as i64
        },
    };
    let work = |thread: usize| {
        // The same part for a thread in every pass, whose data may be in its cache.
        let first = rayon::current_thread_index().unwrap_or(thread) % threads;
        let claims = claims(first);
        if !claims.is_done() {
            task(claims);
        }
    };
    match threads {
        1 => work(0),
        _ => (0..threads).into_par_iter().with_max_len(1).for_each(work),
    }
}

/// Items that follow each other, of which the first are claimed.
#[derive(Debug)]
#[repr(align(64))]
struct Part {
    next: AtomicI64,
    end: i64,
}

fn parts(items: i64, count: usize) -> impl Iterator<Item = Part> {
    let cut = move |part: usize| (i128::from(items) * part as i128 / count as i128) as i64;
    (0..count).map(move |part| Part {
        next: AtomicI64::new(cut(part)),
        end: cut(part + 1),
    })
}

impl Part {
    /// Some of what is left: a part of it, but not fewer than `least`.
    fn claim(&self, least: i64) -> Option<Range<i64>> {
        let size = |next: i64| ((self.end - next) / PART).max(least).min(self.end - next);
        let claim = |next: i64| (next < self.end).then(|| next + size(next));
        let (success, failure) = (Ordering::Relaxed, Ordering::Relaxed);
        let from = self.next.fetch_update(success, failure, claim).ok()?;
        Some(from..from + size(from))
    }
}

/// The ranges of items that a thread is to work on: each is claimed when it is asked for.
#[derive(Debug)]
pub(crate) struct Claims<'a> {
    parts: &'a [Part],
    /// The part that claims come from while it lasts.
    first: usize,
    /// The fewest items of a claim, if there are so many.
    least: i64,
}

impl Claims<'_> {
    /// Whether all is claimed.
    fn is_done(&self) -> bool {
        let is_done = |part: &Part| part.next.load(Ordering::Relaxed) >= part.end;
        self.parts.iter().all(is_done)
    }
}

impl Iterator for Claims<'_> {
    type Item = Range<i64>;

    fn next(&mut self) -> Option<Range<i64>> {
        let (before, own) = self.parts.split_at(self.first);
        let mut parts = own.iter().chain(before);
        parts.find_map(|part| part.claim(self.least))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::Passes;
    use std::sync::Mutex;

    /// All claims, from several threads, in order.
    fn claimed(threads: usize, items: i64, work: usize) -> Vec<Range<i64>> {
        let passes = Passes::default();
        let team = Team {
            threads,
            passes: &passes,
        };
        let all = Mutex::new(vec![]);
        share(team, items, work, |claims| {
            for claim in claims {
                all.lock().unwrap().push(claim);
            }
        });
        let mut all = all.into_inner().unwrap();
        all.sort_by_key(|claim| claim.start);
        all
    }

    #[test]
    fn claims_are_all_items_once() {
        for threads in [1, 2, 3, 7] {
            for items in [0, 1, 2, 7, 64, 1000, 12345] {
                let claims = claimed(threads, items, 1 << 14);
                let mut next = 0;
                for claim in claims {
                    assert_eq!(claim.start, next, "{threads} threads, {items} items");
                    assert!(!claim.is_empty());
                    next = claim.end;
                }
                assert_eq!(next, items);
            }
        }
    }

    #[test]
    fn little_work_is_not_cut() {
        let all = vec![0..1000; 1];
        assert_eq!(claimed(4, 1000, 1), all);
        assert_eq!(claimed(1, 1000, 1 << 20), all);
    }

    #[test]
    fn claims_get_smaller_but_no_smaller_than_pays() {
        let part = Part {
            next: AtomicI64::new(0),
            end: 100,
        };
        let sizes: Vec<i64> = std::iter::from_fn(|| part.claim(8))
            .map(|c| c.end - c.start)
            .collect();
        assert_eq!(sizes, [25, 18, 14, 10, 8, 8, 8, 8, 1]);
    }
}
