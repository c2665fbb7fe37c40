//! The driver with an engine that only writes down what it is asked for, and the store.

use super::*;
use crate::backend::Site;
use crate::host::Column;
use crate::loc::Loc;
use crate::prim::Prim;
use crate::schedule::{
    ArrayDecl, Carried, Check, Kernel, KernelKind, Layout, Load, Offset, Op, Output, Repeat,
    Schedule, SiteId, Step, Strip,
};
use crate::types::ScalarType::{self, Bool, F64, I32, I64};
use std::marker::PhantomData;

/// Memory is the name of the kernel that made it.
struct Scribe<'s> {
    store: Store<&'static str>,
    control: Control,
    log: Vec<String>,
    code: PhantomData<&'s Schedule>,
}

impl<'s> Engine for Scribe<'s> {
    type Memory = &'static str;
    type Scalars = ();
    type Kernel = &'s Kernel;
    type Strip = &'s Strip;

    fn store(&self) -> &Store<&'static str> {
        &self.store
    }

    fn store_mut(&mut self) -> &mut Store<&'static str> {
        &mut self.store
    }

    fn place(&mut self, _: ArrayId, _: &HostArray) -> Result<&'static str, RunError> {
        Ok("input")
    }

    fn element(&self, array: ArrayId, position: usize) -> Result<Const, RunError> {
        assert!(self.store.memory_of(array).is_some());
        Ok(Const::F64(position as f64))
    }

    fn host_array(&mut self, array: ArrayId) -> Result<HostArray, RunError> {
        Err(RunError::Bug(format!("{array} has no elements")))
    }

    fn control(&self) -> &Control {
        &self.control
    }

    fn kernel(&mut self, kernel: &&'s Kernel) -> Result<(), RunError> {
        self.log.push(kernel.name.to_owned());
        for output in kernel.outputs() {
            self.store.memory[output.array.index()] = Some(kernel.name);
        }
        Ok(())
    }

    fn strip(&mut self, _: &&'s Strip) -> Result<(), RunError> {
        Err(RunError::Bug("no strips here".to_owned()))
    }

    fn release(&mut self, array: ArrayId) {
        if let Some(made_by) = self.store.memory[array.index()].take() {
            self.log.push(format!("no more {array} of {made_by}"));
        }
    }
}

fn array(elem: ScalarType, extent: u32, layout: Layout) -> ArrayDecl {
    ArrayDecl {
        elem,
        extents: vec![SymbolId(extent)],
        layout,
        site: SiteId(0),
    }
}

/// A kernel over the extent of the input that reads one array and makes another.
fn kernel(name: &'static str, from: u32, to: u32) -> Step {
    let mut body = Body::default();
    let coord = body.push(Op::Coord(0), I32);
    let value = body.push(Op::Load(load(from, coord, None)), F64);
    let array = ArrayId(to);
    Step::Kernel(Kernel {
        name,
        loc: Loc::UNKNOWN,
        fused: vec![],
        space: vec![SymbolId(0)],
        kind: KernelKind::Map {
            body,
            outputs: vec![Output { value, array }],
        },
    })
}

fn load(array: u32, index: ValueId, site: Option<SiteId>) -> Load {
    Load {
        array: ArrayId(array),
        index: vec![index],
        guard: None,
        site,
    }
}

/// Whether element 2 of an array is less than 1.
fn test(array: u32) -> Step {
    let mut body = Body::default();
    let two = body.push(Op::Const(Const::I32(2)), I32);
    let element = body.push(Op::Load(load(array, two, Some(SiteId(1)))), F64);
    let one = body.push(Op::Const(Const::F64(1.0)), F64);
    let holds = body.push(Op::Prim(Prim::Lt, vec![element, one]), Bool);
    Step::Scalars {
        body,
        defines: vec![(SymbolId(1), holds)],
    }
}

fn site(construct: &'static str) -> Site {
    let loc = Loc::UNKNOWN;
    Site { construct, loc }
}

/// One input of extent s0; s1 says which branch runs.
fn schedule(arrays: u32, steps: Vec<Step>, results: &[u32]) -> Schedule {
    Schedule {
        symbols: vec![I32, Bool, I64],
        arrays: (0..arrays).map(|_| array(F64, 0, Layout::Own)).collect(),
        sites: vec![site("map"), site("at"), site("fold1")],
        params: vec![ArrayId(0)],
        uses: vec![],
        steps,
        results: results.iter().map(|&r| ArrayId(r)).collect(),
    }
}

/// A1 is made of the input; then A4, by way of A2 or, in two steps, of A3.
fn choice() -> Schedule {
    let branches = Step::If {
        cond: SymbolId(1),
        then_: vec![kernel("then", 1, 2)],
        else_: vec![kernel("first", 1, 5), kernel("second", 5, 3)],
        symbols: vec![],
        arrays: vec![(ArrayId(4), ArrayId(2), ArrayId(3))],
    };
    let steps = vec![
        kernel("before", 0, 1),
        test(1),
        branches,
        kernel("after", 4, 6),
    ];
    schedule(7, steps, &[6])
}

fn scribe<'s>(plan: &PlanOf<Scribe<'s>>) -> Scribe<'s> {
    Scribe {
        store: Store::new(&plan.schedule),
        control: Control::default(),
        log: vec![],
        code: PhantomData,
    }
}

fn input(len: usize) -> HostArray {
    HostArray::new(vec![len], Column::from(vec![0.0f64; len])).unwrap()
}

#[test]
fn steps_run_in_order_and_memory_goes_after_its_last_use() {
    let schedule = choice();
    let plan = Plan::new(&schedule, |_, _| (), Ok, Ok).unwrap();
    let mut driver = Driver::new(&plan, scribe(&plan));
    driver.bind(&[input(3)]).unwrap();
    driver.run().unwrap();
    let expected = [
        "before",
        "first",
        "second",
        "no more A5 of first",
        "no more A3 of second",
        "no more A1 of before",
        "after",
        "no more A4 of second",
    ];
    assert_eq!(driver.engine.log, expected);
    assert_eq!(driver.engine.store.memory[6], Some("after"));
}

/// A1 is made of the input; then A6, by a loop that begins with A1, or of A1 at once.
fn loop_in_a_branch(after: Step) -> Schedule {
    let body = vec![kernel("trip", 2, 3)];
    let carried = Carried {
        first: ArrayId(1),
        inside: ArrayId(2),
        next: ArrayId(3),
        last: ArrayId(4),
    };
    let repeat = Step::Repeat(Repeat {
        site: None,
        most: SymbolId(0),
        number: SymbolId(3),
        made: SymbolId(4),
        test: None,
        body,
        symbols: vec![],
        arrays: vec![carried],
    });
    let branches = Step::If {
        cond: SymbolId(1),
        then_: vec![repeat],
        else_: vec![kernel("else", 1, 5)],
        symbols: vec![],
        arrays: vec![(ArrayId(6), ArrayId(4), ArrayId(5))],
    };
    let steps = vec![kernel("before", 0, 1), test(1), branches, after];
    Schedule {
        symbols: vec![I32, Bool, I64, I32, I32],
        ..schedule(8, steps, &[7])
    }
}

#[test]
fn a_loop_in_a_branch_takes_over_what_the_conditional_gives_back() {
    for (read_after, given_up) in [(6, vec![ArrayId(1)]), (1, vec![])] {
        let schedule = loop_in_a_branch(kernel("after", read_after, 7));
        let lifetimes = schedule.lifetimes();
        let repeat = &lifetimes.lists[1].steps[0];
        assert!(repeat.release.is_empty());
        assert_eq!(repeat.given_up(&schedule), given_up);
    }
}

/// Nothing is done twice, and nothing is left out.
#[test]
fn a_run_goes_on_where_it_stopped() {
    let schedule = choice();
    let plan = Plan::new(&schedule, |_, _| (), Ok, Ok).unwrap();
    let run = |stops: &[&str]| {
        let mut driver = Driver::new(&plan, scribe(&plan));
        driver.bind(&[input(3)]).unwrap();
        for name in stops {
            let stop = |_: &Scribe, work: Work<Scribe>| match work {
                Work::Kernel(kernel) => kernel.name == *name,
                Work::Strip(_) => false,
            };
            assert_eq!(driver.run_until(stop), Ok(false), "{name}");
            assert!(!driver.engine.log.iter().any(|done| done == name));
        }
        driver.run().unwrap();
        driver.engine.log
    };
    assert_eq!(run(&["before", "second", "after"]), run(&[]));
}

#[test]
fn indices_and_checks_fail_where_they_were_written() {
    let schedule = choice();
    let plan = Plan::new(&schedule, |_, _| (), Ok, Ok).unwrap();
    let mut driver = Driver::new(&plan, scribe(&plan));
    driver.bind(&[input(2)]).unwrap();
    let error = RunError::IndexOutOfRange {
        site: site("at"),
        index: vec![2],
        extents: vec![2],
        trips: vec![],
    };
    assert_eq!(driver.run(), Err(error));
    let check = Check::NotEmpty {
        outer: vec![],
        inner: vec![SymbolId(0)],
    };
    let schedule = super::tests::schedule(1, vec![Step::Check(check, SiteId(2))], &[]);
    let plan = Plan::new(&schedule, |_, _| (), Ok, Ok).unwrap();
    let run = |len| {
        let mut driver = Driver::new(&plan, scribe(&plan));
        driver.bind(&[input(len)]).unwrap();
        driver.run()
    };
    let site = site("fold1");
    assert_eq!(run(0), Err(RunError::EmptyReduction { site }));
    assert_eq!(run(1), Ok(()));
}

/// Two parameters share an extent.
#[test]
fn inputs_that_do_not_fit_are_turned_down() {
    let mut schedule = schedule(2, vec![], &[]);
    schedule.params.push(ArrayId(1));
    let plan = Plan::new(&schedule, |_, _| (), Ok, Ok).unwrap();
    let bind = |lens: &[usize]| {
        let inputs: Vec<_> = lens.iter().map(|&len| input(len)).collect();
        Driver::new(&plan, scribe(&plan)).bind(&inputs)
    };
    assert_eq!(bind(&[2, 2]), Ok(()));
    assert!(matches!(bind(&[2]), Err(RunError::InputCount { .. })));
    assert!(matches!(bind(&[2, 3]), Err(RunError::InputShape { .. })));
}

#[test]
fn deep_nesting_does_not_recurse() {
    let around = |inside: Step, _| Step::If {
        cond: SymbolId(1),
        then_: vec![inside],
        else_: vec![],
        symbols: vec![],
        arrays: vec![],
    };
    let nested = (0..100_000).fold(kernel("inside", 0, 1), around);
    // Dropping it would recurse.
    let schedule = std::mem::ManuallyDrop::new(schedule(2, vec![nested], &[]));
    let plan = Plan::new(&schedule, |_, _| (), Ok, Ok).unwrap();
    let mut driver = Driver::new(&plan, scribe(&plan));
    driver.bind(&[input(1)]).unwrap();
    driver.engine.store.symbols[1] = Const::Bool(true);
    driver.run().unwrap();
    assert_eq!(driver.engine.log, ["inside", "no more A1 of inside"]);
}

#[test]
fn views_begin_at_symbols_and_constants() {
    let mut schedule = schedule(1, vec![], &[]);
    let offset = Offset {
        symbol: Some(SymbolId(2)),
        constant: 3,
    };
    let view = Layout::View {
        of: ArrayId(0),
        offset,
        stride: 2,
    };
    schedule.arrays.push(array(F64, 0, view));
    let mut store = Store::new(&std::sync::Arc::new(schedule));
    store.symbols[0] = Const::I32(-4);
    store.symbols[2] = Const::I64(1 << 40);
    store.memory[0] = Some(());
    let (own, view) = (ArrayId(0), ArrayId(1));
    assert_eq!(store.span(own), (0, 1));
    assert_eq!(store.span(view), ((1 << 40) + 3, 2));
    assert_eq!(store.memory_of(view), Some(&()));
    assert_eq!(store.shape(view)[..], [-4]);
    assert_eq!(store.int(SymbolId(1)), 0);
    assert!(matches!(store.len(own), Err(RunError::BadShape { .. })));
}

#[test]
fn positions_are_row_major() {
    assert_eq!(position(&[1, 2], &[2, 3]), Some(5));
    assert_eq!(position(&[1, 3], &[2, 3]), None);
    assert_eq!(position(&[-1], &[2]), None);
    assert_eq!(position(&[], &[]), Some(0));
    let error = out_of_range(site("at"), &[-1], &[2]);
    assert!(
        error
            .to_string()
            .contains("index [-1] is out of range for extents [2]")
    );
}
