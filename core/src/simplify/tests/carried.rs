//! What a loop carries is updated in place: scatters into a part of it stay.

use super::gather::{Body, Code, agree, fun, line, numbered, square};
use super::well_formed;
use crate::build::{AccBuilder, Arr};
use crate::constant::Const;
use crate::host::HostArray;
use crate::interp;
use crate::label::label;
use crate::recover::recover;
use crate::surface::prelude::*;
use crate::term::{AccClosure, AccOp, Combine, ExpId, Fun, Labelled, Outside, Program, States};
use crate::types::ArrayType;
use crate::types::ScalarType::{F64, I32};

/// Scatters, one into what the other made, into an array that a loop of three trips carries.
struct Updates<'a> {
    combine: Combine,
    outside: Outside,
    /// The extents of what is sent.
    source: Body<'a>,
    /// The extents of what is carried.
    target: Body<'a>,
    /// Where each of the scatters sends it.
    sends: &'a [Body<'a>],
    /// Whether the scatters start from the first state, in place of the one that is carried.
    from_outside: bool,
}

impl<'a> Updates<'a> {
    fn new(source: Body<'a>, target: Body<'a>, sends: &'a [Body<'a>]) -> Self {
        Self {
            combine: Combine::Add,
            outside: Outside::MayDrop,
            source,
            target,
            sends,
            from_outside: false,
        }
    }

    fn program(&self) -> Program<Labelled> {
        let mut b = AccBuilder::new(0);
        let x = b.fresh(ArrayType::new(F64, 1));
        let values = numbered(&mut b, &x, self.source);
        let first = numbered(&mut b, &x, self.target);
        let step = self.step(&mut b, (&x, &values, &first));
        let loop_ = AccOp::Loop {
            trips: Fun::constants(&[Const::I32(3)]),
            test: None,
            step,
            states: States::Stored,
            args: vec![first.name],
        };
        let results = b.push(loop_, &[ArrayType::new(I32, 0), first.ty]);
        Program {
            alike: Default::default(),
            params: vec![x],
            uses: vec![],
            body: b.finish(&results[1..]),
        }
    }

    fn step(
        &self,
        b: &mut AccBuilder,
        (x, values, first): (&Arr, &Arr, &Arr),
    ) -> AccClosure<Labelled> {
        let params = vec![b.fresh(ArrayType::new(I32, 0)), b.fresh(first.ty)];
        b.open();
        let mut state = match self.from_outside {
            true => first.clone(),
            false => params[1].clone(),
        };
        for &send in self.sends {
            let target = fun(x, values.ty.rank, send);
            let (starts, values) = (&[state], std::slice::from_ref(values));
            let next = match self.outside {
                Outside::Fails => b.permute(self.combine, starts, target, values),
                Outside::MayDrop => b.permute_back(self.combine, starts, target, values),
            };
            state = next[0].clone();
        }
        if self.from_outside {
            // The trips must depend on each other, or all of this moves out of the loop.
            let add = Fun::prim(crate::prim::Prim::Add, &[F64, F64]);
            state = b.map(add, &[state, params[1].clone()]).remove(0);
        }
        let body = b.close(&[state]);
        AccClosure { params, body }
    }

    /// Asserts how often some rule fires, and how many scatters are left.
    fn check(&self, rule: &str, fired: u64, left: usize) {
        let before = self.program();
        let (after, counts) = well_formed(&before);
        assert_eq!(counts.get(rule), fired, "`{rule}`:\n{before}\n{after}");
        let lets = after.body.all_lets();
        let scatters = lets.filter(|l| matches!(l.op, AccOp::Permute { .. }));
        assert_eq!(scatters.count(), left, "{after}");
        let succeed = (0..9).filter(|&n| agree(&before, &after, n));
        assert!(succeed.count() > 3, "fails mostly:\n{before}");
    }
}

fn three(c: &mut Code<'_>, _: &[ExpId]) -> Vec<ExpId> {
    vec![c.c(3)]
}

fn three_rows(c: &mut Code<'_>, _: &[ExpId]) -> Vec<ExpId> {
    vec![c.c(3), c.n]
}

const SHIFT: Body<'static> = &|c, i| vec![c.yes(), c.plus(i[0], 1)];

#[test]
fn updates_of_a_part_stay() {
    for combine in [Combine::Add, Combine::Overwrite] {
        let updates = Updates {
            combine,
            ..Updates::new(&three, &line, &[SHIFT])
        };
        updates.check("permute_to_gather", 0, 1);
    }
    // A row of a table.
    let row: Body<'_> = &|c, i| vec![c.yes(), c.c(1), i[0]];
    Updates::new(&line, &square, &[row]).check("permute_to_gather", 0, 1);
    // The user's own, where all is seen to be in range.
    let room: Body<'_> = &|c, _| vec![c.c(7)];
    let users = Updates {
        outside: Outside::Fails,
        ..Updates::new(&three, room, &[SHIFT])
    };
    users.check("permute_to_gather", 0, 1);
}

#[test]
fn so_do_updates_of_updates() {
    let back: Body<'_> = &|c, i| vec![c.yes(), c.plus(i[0], 2)];
    Updates::new(&three, &line, &[SHIFT, back]).check("permute_to_gather", 0, 2);
}

#[test]
fn updates_of_the_whole_are_gathers() {
    let reverse: Body<'_> = &|c, i| {
        let last = c.plus(c.n, -1);
        vec![c.yes(), c.sub(last, i[0])]
    };
    Updates::new(&line, &line, &[reverse]).check("permute_to_gather", 1, 0);
    let transposed: Body<'_> = &|c, _| vec![c.n, c.c(3)];
    let swap: Body<'_> = &|c, i| vec![c.yes(), i[1], i[0]];
    Updates::new(&three_rows, transposed, &[swap]).check("permute_to_gather", 1, 0);
}

/// What is made of the same array on each trip is new, each time.
#[test]
fn what_is_not_carried_is_gathered() {
    let outside = Updates {
        from_outside: true,
        ..Updates::new(&three, &line, &[SHIFT])
    };
    outside.check("permute_to_gather", 1, 0);
}

/// A sum is sent into what is carried as its terms were.
#[test]
fn sums_are_sent_in_place() {
    let project: Body<'_> = &|c, i| vec![c.yes(), c.plus(i[0], 1)];
    let sends = [project];
    let updates = Updates::new(&three_rows, &line, &sends);
    updates.check("permute_sum", 1, 1);
    updates.check("permute_to_gather", 0, 1);
    // As many sums as elements.
    let columns: Body<'_> = &|c, i| vec![c.yes(), i[1]];
    Updates::new(&three_rows, &line, &[columns]).check("permute_to_gather", 1, 0);
}

/// The operations by name of the steps of a loop that a rule has changed: of one that makes two trips less than the array has
/// elements, and of loops inside.
fn step_of(f: impl Fn(Exp<i32>, Acc<Ix1, f64>) -> Acc<Ix1, f64> + Copy, rule: &str) -> Vec<String> {
    let looped = move |v: Acc<Ix1, f64>| aiterate(v.size() - 2, f, v);
    let traced = trace(looped).unwrap();
    let before = label(&recover(&traced.graph, &traced.lambda).unwrap());
    let (after, counts) = well_formed(&before);
    assert!(counts.get(rule) > 0, "`{rule}`:\n{after}");
    let input = HostArray::new(vec![5], vec![0.5, 3.0, 1.5, 2.0, 4.0].into()).unwrap();
    let (expected, found) = [&before, &after]
        .map(|p| interp::run(p, std::slice::from_ref(&input)))
        .into();
    assert_eq!(format!("{expected:?}"), format!("{found:?}"));
    let steps = after.body.all_lets().filter_map(|let_| match &let_.op {
        AccOp::Loop { step, .. } => Some(step),
        _ => None,
    });
    let lets = steps.flat_map(|step| &step.body.lets);
    lets.map(|let_| let_.op.name().to_owned()).collect()
}

/// What is read beside something that the update makes is an array of its own, in front of the update.
#[test]
fn parts_are_read_before_updates() {
    let moved = |i: Exp<i32>, v: Acc<Ix1, f64>| {
        let x = v.at(ix![i]);
        let v = v.set(ix![i], x * 2.0);
        v.set(ix![i + 1], v.at(ix![i + 1]) + x)
    };
    let rule = "read_part_before_update";
    let step = step_of(moved, rule);
    let expected = ["generate", "generate", "permute", "generate", "permute"];
    assert_eq!(step, expected);
    let slices = |i: Exp<i32>, v: Acc<Ix1, f64>| {
        let w = v.set(ix![i], v.at(ix![i + 1]));
        let both = generate(ix![2], move |ix![k]| v.at(ix![i + k]) + w.at(ix![i + k]));
        w.update_slice(ix![i], both)
    };
    assert_eq!(step_of(slices, rule), expected);
    // Where it goes is read of the old array, too.
    let sent = |i: Exp<i32>, v: Acc<Ix1, f64>| {
        let place = v.at(ix![i + 1]).to::<i32>();
        let w = v.set(ix![i], v.at(ix![i]) * 2.0);
        w.set(ix![place], w.at(ix![i]))
    };
    assert_eq!(
        step_of(sent, rule).last().map(String::as_str),
        Some("permute")
    );
}

/// An element that a loop inside reads of what it overwrites is read in front of it, if it is there for sure, or read in any case.
#[test]
fn elements_are_read_before_loops() {
    type Trips = fn(Exp<i32>) -> Exp<i32>;
    let scaled = |by: i32, trips: Trips| {
        move |i: Exp<i32>, v: Acc<Ix1, f64>| {
            let x = v.at(ix![i + by]);
            aiterate(trips(i), move |k, v| v.set(ix![k], v.at(ix![k + 1]) * x), v)
        }
    };
    let (two, any): (Trips, Trips) = (|_| constant(2), |i| i);
    for f in [scaled(1, any), scaled(1, two)] {
        let step = step_of(f, "element_before_loop");
        assert_eq!(step, ["generate", "loop_a", "generate", "permute"]);
    }
    fires(scaled(3, two), ("element_before_loop", 1));
    fires(scaled(3, any), ("element_before_loop", 0));
}

/// An element that a branch reads of the old array is read in front of the update, where the condition holds, if the branch reads it for
/// sure, or it is there for sure.
#[test]
fn elements_are_read_before_branches() {
    let chosen = |by: i32| {
        move |i: Exp<i32>, v: Acc<Ix1, f64>| {
            let w = v.set(ix![i], v.at(ix![i]) * 2.0);
            let one = unit(v.at(ix![i + by]) * 3.0);
            let all = w.map(move |x| x + v.at(ix![i + by])).sum();
            w.set(ix![i + 1], acond(i.gt(1), one, all).the())
        }
    };
    let rule = "element_before_branch";
    let step = step_of(chosen(1), rule);
    let [update, branch] = ["permute", "acond"].map(|op| step.iter().position(|own| own == op));
    assert!(update.unwrap() < branch.unwrap(), "{step:?}");
    fires(chosen(1), (rule, 2));
    fires(chosen(3), (rule, 1));
}

/// Asserts that a rule does not fire.
fn stays(f: impl Fn(Exp<i32>, Acc<Ix1, f64>) -> Acc<Ix1, f64> + Copy, rule: &str) {
    fires(f, (rule, 0));
}

/// Asserts how often a rule fires.
fn fires(f: impl Fn(Exp<i32>, Acc<Ix1, f64>) -> Acc<Ix1, f64> + Copy, (rule, count): (&str, u64)) {
    let looped = move |v: Acc<Ix1, f64>| aiterate(v.size() - 2, f, v);
    let traced = trace(looped).unwrap();
    let program = label(&recover(&traced.graph, &traced.lambda).unwrap());
    let (_, counts) = well_formed(&program);
    assert_eq!(counts.get(rule), count);
}

/// Where the element stands is known after the update only.
#[test]
fn what_depends_on_an_update_stays_after_it() {
    let chosen = |i: Exp<i32>, v: Acc<Ix1, f64>| {
        let w = v.set(ix![i], v.at(ix![i + 1]).sin());
        let place = w.at(ix![i]).to::<i32>();
        w.set(ix![i + 1], w.at(ix![i]) + v.at(ix![place]))
    };
    stays(chosen, "read_part_before_update");
}

/// The element is read in front of the update that writes another one over it, be that in a branch.
#[test]
fn reads_stand_before_updates() {
    let swap = |i: Exp<i32>, v: Acc<Ix1, f64>| {
        let (x, y) = (v.at(ix![i]), v.at(ix![i + 1]));
        v.set(ix![i], y).set(ix![i + 1], x)
    };
    let step = step_of(swap, "read_before_update");
    assert_eq!(step, ["generate", "generate", "permute", "permute"]);
    let branch = |i: Exp<i32>, v: Acc<Ix1, f64>| {
        let (x, y) = (v.at(ix![i]), v.at(ix![i + 1]));
        acond(x.lt(y), v.set(ix![i], y * 2.0), v).set(ix![i + 1], x)
    };
    let step = step_of(branch, "read_before_update");
    assert_eq!(step, ["generate", "acond", "permute"]);
}

/// So does a loop that reads elements.
#[test]
fn loops_that_read_stand_before_updates() {
    let sum = |i: Exp<i32>, v: Acc<Ix1, f64>| {
        let new = v.set(ix![i], v.at(ix![i]) * 2.0);
        let add = move |k: Exp<i32>, s: Acc<Z, f64>| s.map(move |s: Exp<f64>| s + v.at(ix![k]));
        new.set(ix![i + 1], aiterate(3, add, unit(0.0)).the())
    };
    let step = step_of(sum, "read_before_update");
    assert_eq!(step[..3], ["generate", "loop_a", "permute"], "{step:?}");
}

/// Equal loops are one; what they do decides, not what it is called.
#[test]
fn equal_loops_are_made_once() {
    let sines = |v: Acc<Ix1, f64>| {
        let step = |i: Exp<i32>, v: Acc<Ix1, f64>| v.set(ix![i], v.at(ix![i + 1]).sin());
        aiterate(v.size() - 1, step, v)
    };
    let cosines = |v: Acc<Ix1, f64>| {
        let step = |i: Exp<i32>, v: Acc<Ix1, f64>| v.set(ix![i], v.at(ix![i + 1]).cos());
        aiterate(v.size() - 1, step, v)
    };
    let loops = |f: &dyn Fn(Acc<Ix1, f64>) -> Acc<Ix1, f64>| {
        let traced = trace(f).unwrap();
        let (after, _) = well_formed(&label(&recover(&traced.graph, &traced.lambda).unwrap()));
        let all = after.body.lets.iter();
        all.filter(|let_| let_.op.name() == "loop_a").count()
    };
    assert_eq!(loops(&|v| sines(v) * sines(v)), 1);
    assert_eq!(loops(&|v| sines(v) * cosines(v)), 2);
    assert_eq!(loops(&|v| sines(v) * sines(v.reverse())), 2);
}

/// Where an element goes is computed before, if the element that says so may be overwritten.
#[test]
fn targets_are_made_before_updates() {
    let chosen = |i: Exp<i32>, v: Acc<Ix1, f64>| {
        let place = v.at(ix![i]).to::<i32>();
        v.set(ix![place], v.at(ix![i + 1]))
    };
    let step = step_of(chosen, "target_before_update");
    assert_eq!(step.last().map(String::as_str), Some("permute"));
}
