//! The program under construction: which one is current, and what handles mean in it.
//!
//! Each [`trace`](super::trace) puts a *session* on a stack that belongs to the thread. A handle names the
//! session it was made in, so that one from elsewhere is noticed when it is used. Nothing here panics on
//! misuse: the session records an error, the operation gives a *poison* handle, and operations on poison
//! are silent, so that the first error recorded is the one that explains the rest.
//!
//! No borrow of the stack is held while a user's closure runs.

mod state;

pub(crate) use state::Session;

use crate::graph::{AccLambda, ArrRef, ExpLambda, ExpRef, Graph, SurfaceError};
use crate::loc::Loc;
use crate::types::{ArrayType, ScalarType};
use std::cell::{Cell, RefCell};

/// What the user called, and where.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    pub(crate) operation: &'static str,
    pub(crate) loc: Loc,
}

impl Call {
    /// A call of `operation` by whoever called the surrounding `#[track_caller]` function.
    #[track_caller]
    pub(crate) fn here(operation: &'static str) -> Self {
        let caller = Loc::caller();
        let loc = PLACE.get().unwrap_or(caller);
        Self { operation, loc }
    }

    /// Calls a function of this crate's own, which calls others: for the user, all that is here.
    pub(crate) fn throughout<R>(self, f: impl FnOnce() -> R) -> R {
        struct Restored(Option<Loc>);
        impl Drop for Restored {
            fn drop(&mut self) {
                PLACE.set(self.0);
            }
        }
        let _restored = Restored(PLACE.replace(Some(self.loc)));
        f()
    }
}

/// A scalar of some session, without its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RawExp {
    session: u64,
    exp: ExpRef,
}

/// Columns of some session, without their types.
#[derive(Clone, Copy, Debug)]
pub struct RawAcc {
    session: u64,
    columns: u32,
}

/// The session of handles made outside of any; their ids are positions in [`OUTSIDE`].
const NO_SESSION: u64 = 0;
/// The id of what could not be made, in the session that has recorded why.
const POISON: u32 = u32::MAX;
/// How many calls outside of any session are remembered, per thread; the last one stands for any further.
const MAX_OUTSIDE: usize = 1 << 10;

thread_local! {
    static SESSIONS: RefCell<Vec<Session>> = const { RefCell::new(Vec::new()) };
    static OUTSIDE: RefCell<Vec<Call>> = const { RefCell::new(Vec::new()) };
    /// Where a function of this crate was called that calls others.
    static PLACE: Cell<Option<Loc>> = const { Cell::new(None) };
}

/// Why there is no handle; what is left is to make a poison one.
struct Failure {
    session: u64,
    id: u32,
}

impl Failure {
    fn exp(&self) -> RawExp {
        RawExp {
            session: self.session,
            exp: ExpRef {
                node: self.id,
                output: 0,
            },
        }
    }

    fn acc(&self) -> RawAcc {
        RawAcc {
            session: self.session,
            columns: self.id,
        }
    }
}

/// Runs `build` on the current session.
fn enter<R>(
    call: Call,
    build: impl FnOnce(&mut Session) -> Option<R>,
) -> Result<(u64, R), Failure> {
    SESSIONS.with_borrow_mut(|sessions| match sessions.last_mut() {
        Some(session) => {
            let id = session.id();
            let poison = Failure {
                session: id,
                id: POISON,
            };
            build(session).map(|built| (id, built)).ok_or(poison)
        }
        None => Err(Failure {
            session: NO_SESSION,
            id: remember_outside(call),
        }),
    })
}

fn remember_outside(call: Call) -> u32 {
    OUTSIDE.with_borrow_mut(|calls| {
        if calls.len() < MAX_OUTSIDE {
            calls.push(call);
        }
        (calls.len() - 1) as u32
    })
}

fn outside_call(id: u32) -> Option<Call> {
    OUTSIDE.with_borrow(|calls| calls.get(id as usize).copied())
}

/// `count` scalars made by `build`, or as many poison ones.
pub(crate) fn make_exps(
    call: Call,
    count: usize,
    build: impl FnOnce(&mut Session) -> Option<Vec<ExpRef>>,
) -> Vec<RawExp> {
    match enter(call, build) {
        Ok((session, exps)) => exps
            .into_iter()
            .map(|exp| RawExp { session, exp })
            .collect(),
        Err(failure) => vec![failure.exp(); count],
    }
}

/// A scalar made by `build`, or a poison one.
pub(crate) fn make_exp(call: Call, build: impl FnOnce(&mut Session) -> Option<ExpRef>) -> RawExp {
    match enter(call, build) {
        Ok((session, exp)) => RawExp { session, exp },
        Err(failure) => failure.exp(),
    }
}

/// Columns made by `build`, or poison.
pub(crate) fn make_acc(
    call: Call,
    build: impl FnOnce(&mut Session) -> Option<Vec<ArrRef>>,
) -> RawAcc {
    let made = enter(call, |session| {
        let columns = build(session)?;
        Some(session.intern(columns))
    });
    match made {
        Ok((session, columns)) => RawAcc { session, columns },
        Err(failure) => failure.acc(),
    }
}

/// Runs a closure on fresh scalar parameters. `None` where that cannot become a function, which has been
/// recorded.
pub(crate) fn exp_lambda(
    call: Call,
    params: Vec<ScalarType>,
    body: impl FnOnce(&[RawExp]) -> Vec<RawExp>,
) -> Option<ExpLambda> {
    let open = |session: &mut Session| Some(session.open_exps(call, &params));
    let (session, (binder, exps)) = enter(call, open).ok()?;
    let args: Vec<_> = exps
        .into_iter()
        .map(|exp| RawExp { session, exp })
        .collect();
    let raw_results = body(&args);
    let close = |session: &mut Session| {
        let results = session.exps(call, &raw_results);
        session.close(binder);
        results
    };
    let (_, results) = enter(call, close).ok()?;
    Some(ExpLambda {
        binder,
        params,
        results,
    })
}

/// Runs a closure on fresh array parameters; they are handed over one column at a time.
pub(crate) fn acc_lambda(
    call: Call,
    params: Vec<ArrayType>,
    body: impl FnOnce(&mut RawColumns) -> Vec<RawAcc>,
) -> Option<AccLambda> {
    let open = |session: &mut Session| Some(session.open_accs(call, &params));
    let (session, (binder, columns)) = enter(call, open).ok()?;
    let raw_results = body(&mut RawColumns {
        source: Ok((session, columns.into_iter())),
    });
    let close = |session: &mut Session| {
        let results = session.accs(call, &raw_results);
        session.close(binder);
        results
    };
    let (_, results) = enter(call, close).ok()?;
    Some(AccLambda {
        binder,
        params,
        results,
    })
}

/// The scalars of a value in order, as its parts take them.
#[derive(Debug)]
pub struct RawExps<'a> {
    source: std::slice::Iter<'a, RawExp>,
}

impl<'a> RawExps<'a> {
    /// All of `exps`.
    pub fn new(exps: &'a [RawExp]) -> Self {
        Self {
            source: exps.iter(),
        }
    }

    /// The next scalar; poison where there is none left, which the callers' counts rule out.
    pub fn take(&mut self) -> RawExp {
        let poison = RawExp {
            session: NO_SESSION,
            exp: ExpRef {
                node: POISON,
                output: 0,
            },
        };
        self.source.next().copied().unwrap_or(poison)
    }
}

/// Columns in order, as the arrays of a value take them, or poison for all of them.
pub struct RawColumns {
    source: Result<(u64, std::vec::IntoIter<ArrRef>), RawAcc>,
}

impl RawColumns {
    /// The columns of an array.
    pub(crate) fn of(call: Call, acc: RawAcc) -> Self {
        let source = enter(call, |session| session.acc(call, acc))
            .map(|(session, columns)| (session, columns.into_iter()))
            .map_err(|failure| failure.acc());
        Self { source }
    }

    /// The next `count` of them, as an array.
    pub(crate) fn take(&mut self, count: usize) -> RawAcc {
        match &mut self.source {
            Ok((_, columns)) => {
                let taken: Vec<_> = columns.by_ref().take(count).collect();
                make_acc(Call::here("columns"), |_| Some(taken))
            }
            Err(poison) => *poison,
        }
    }
}

/// The columns of arrays, in a row; `None` where that is not possible, which has been recorded.
pub(crate) fn columns(call: Call, arrays: &[RawAcc]) -> Option<Vec<ArrRef>> {
    let columns = enter(call, |session| session.accs(call, arrays)).ok()?;
    Some(columns.1)
}

/// Runs `f` as a program of its own: what it built, and its result, or the first error.
pub(crate) fn run<R>(f: impl FnOnce() -> Option<R>) -> Result<(Graph, R), SurfaceError> {
    /// Takes the session off the stack even if the closure panics.
    struct Guard;
    impl Drop for Guard {
        fn drop(&mut self) {
            SESSIONS.with_borrow_mut(|sessions| sessions.pop());
        }
    }
    SESSIONS.with_borrow_mut(|sessions| sessions.push(Session::new()));
    let guard = Guard;
    let result = f();
    let session = SESSIONS.with_borrow_mut(|sessions| sessions.last_mut().map(std::mem::take));
    drop(guard);
    let graph = session.unwrap_or_default().finish()?;
    let missing = SurfaceError::Misuse {
        operation: "compile",
        used_at: Loc::UNKNOWN,
        problem: "internal error, please report it: no program and no reason".into(),
    };
    Ok((graph, result.ok_or(missing)?))
}
