//! Stores before a loop into rows that its trips write: left out where all are written and none is read before, and nowhere else.

use super::*;
use cotangent_core::term::{AccClosure, AccOp, ExpId, States};

const NUMBER: ArrayType = ArrayType::new(I32, 0);
const PASS: &str = "dead-store-elimination";

/// A loop over tables that all start from one, which has `rows` more rows than trips are made; each trip writes the input into the row
/// `by` behind its number, once into each of the tables, times its number and one.
struct Case {
    trips: i32,
    /// Whether their number is a literal; otherwise it depends on the input, which has three elements.
    is_literal: bool,
    rows: i32,
    by: i32,
    tables: usize,
    /// What the step does first with a table.
    before: fn(&mut AccBuilder, &Arr) -> Option<Arr>,
    /// Whether the table that all start from is a result, too.
    is_read: bool,
}

const CASE: Case = Case {
    trips: 3,
    is_literal: false,
    rows: 1,
    by: 1,
    tables: 1,
    before: |_, _| None,
    is_read: false,
};

impl Case {
    fn trips(&self, b: &mut FunBuilder, row: &Arr) -> ExpId {
        if self.is_literal {
            return b.constant(self.trips);
        }
        let (n, more) = (b.extent(row.name, 0), b.constant(self.trips - 3));
        b.prim(Prim::Add, &[n, more])
    }

    fn step(&self, b: &mut AccBuilder, (k, number): (&Arr, usize), table: &Arr, row: &Arr) -> Arr {
        let added = (self.before)(b, table);
        let f = fun([I32], |b, [i]| {
            let x = b.index(row, &[i]);
            let (k, one) = (b.index(k, &[]), b.constant(1 + number as i32));
            let factor = b.prim(Prim::Add, &[k, one]);
            let factor = b.prim(Prim::Convert(F64), &[factor]);
            let mut x = b.prim(Prim::Mul, &[x, factor]);
            if let Some(added) = &added {
                let added = b.index(added, &[]);
                x = b.prim(Prim::Add, &[x, added]);
            }
            vec![x]
        });
        let made = b.generate(Fun::shape_of(row), f).remove(0);
        let by = self.by;
        let target = fun([I32], |b, [i]| {
            let (k, by, sent) = (b.index(k, &[]), b.constant(by), b.constant(true));
            vec![sent, b.prim(Prim::Add, &[k, by]), i]
        });
        let (table, made) = (std::slice::from_ref(table), std::slice::from_ref(&made));
        b.permute(Combine::Overwrite, table, target, made).remove(0)
    }

    fn build(&self, b: &mut AccBuilder, row: &Arr) -> Vec<Arr> {
        let shape = fun([], |b, []| {
            let (trips, rows) = (self.trips(b, row), b.constant(self.rows));
            let rows = b.prim(Prim::Add, &[trips, rows]);
            vec![rows, b.extent(row.name, 0)]
        });
        let fill = fun([I32, I32], |b, [i, j]| {
            let (x, i) = (b.index(row, &[j]), b.prim(Prim::Convert(F64), &[i]));
            vec![b.prim(Prim::Sub, &[x, i])]
        });
        let start = b.generate(shape, fill).remove(0);
        let k = b.fresh(NUMBER);
        let tables: Vec<Arr> = (0..self.tables).map(|_| b.fresh(start.ty)).collect();
        b.open();
        let steps = tables.iter().enumerate();
        let next: Vec<Arr> = steps
            .map(|(number, table)| self.step(b, (&k, number), table, row))
            .collect();
        let body = b.close(&next);
        let params = [&[k], &tables[..]].concat();
        let op = AccOp::Loop {
            trips: fun([], |b, []| vec![self.trips(b, row)]),
            test: None,
            step: AccClosure { params, body },
            states: States::Stored,
            args: vec![start.name; self.tables],
        };
        let types = [vec![NUMBER], vec![start.ty; self.tables]].concat();
        let mut results = b.push(op, &types).split_off(1);
        results.extend(self.is_read.then_some(start));
        results
    }

    /// How often stores were left out. (The results are compared with the interpreter's.)
    fn eliminated(&self) -> usize {
        let s = subject(&[vector(&[0.5, 1.5, -2.0])], |b, xs| self.build(b, &xs[0]));
        let found = s.outcome.clone().unwrap();
        assert_eq!(found.len(), self.tables + usize::from(self.is_read));
        s.fired(PASS)
    }
}

#[test]
fn rows_that_trips_write_are_not_stored_before() {
    for trips in [0, 1, 3] {
        for by in [0, 1, 2] {
            for (tables, is_literal) in [(1, false), (2, false), (1, true)] {
                let case = Case {
                    trips,
                    is_literal,
                    rows: by,
                    by,
                    tables,
                    ..CASE
                };
                assert_eq!(case.eliminated(), 1, "{trips} {by} {tables}");
            }
        }
    }
}

#[test]
fn a_negative_number_of_trips_leaves_fewer_rows() {
    for is_literal in [false, true] {
        let case = Case {
            trips: -1,
            is_literal,
            ..CASE
        };
        assert_eq!(case.eliminated(), 1);
    }
}

#[test]
fn rows_that_are_left_alone_are_stored() {
    // The last row, or the first one beside those that were counted, is what it was.
    for (rows, by) in [(1, 0), (2, 1), (3, 0)] {
        let case = Case { rows, by, ..CASE };
        assert_eq!(case.eliminated(), 0, "{rows} {by}");
    }
}

#[test]
fn rows_that_a_trip_reads_are_stored() {
    let last = |b: &mut AccBuilder, table: &Arr| {
        let f = fun([], |b, []| {
            let (row, column) = (b.constant(3), b.constant(0));
            vec![b.index(table, &[row, column])]
        });
        Some(b.generate(extents(&[]), f).remove(0))
    };
    let case = Case {
        before: last,
        ..CASE
    };
    assert_eq!(case.eliminated(), 0);
}

#[test]
fn rows_that_others_read_are_stored() {
    for tables in [1, 2] {
        let case = Case {
            tables,
            is_read: true,
            ..CASE
        };
        assert_eq!(case.eliminated(), 0);
    }
}
