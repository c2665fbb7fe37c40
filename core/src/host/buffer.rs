//! The memory of a column, which may belong to someone who wants it back.
//!
//! An engine that runs a program again and again keeps the memory of its arrays, results included: touching
//! fresh memory costs more than many a kernel. So a buffer may have a [`Home`], and goes there when its last
//! owner drops it. Who takes the elements out ([`Buffer::take`]) keeps them.

use super::{Column, HostArrayError, reserved};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Weak};

/// Who takes the memory of columns back.
pub trait Home: Send + Sync {
    /// Receives memory that nobody uses any more; its elements have no meaning.
    fn take_back(&self, column: Column);
}

/// The elements of a column.
pub struct Buffer<T>
where
    Column: From<Buffer<T>>,
{
    values: Vec<T>,
    /// Where the elements begin, so that they lie at a good address.
    start: usize,
    home: Option<Weak<dyn Home>>,
}

impl<T> Buffer<T>
where
    Column: From<Buffer<T>>,
{
    /// Sends the memory there when it is dropped, if there is still someone to receive it.
    pub fn set_home(&mut self, home: Weak<dyn Home>) {
        self.home = Some(home);
    }

    /// The values from position `start` on, or none beyond the end.
    pub fn starting_at(values: Vec<T>, start: usize) -> Self {
        Self {
            start: start.min(values.len()),
            values,
            home: None,
        }
    }

    /// Whether the elements are all of the values.
    pub fn is_whole(&self) -> bool {
        self.start == 0
    }

    /// The elements, by value: copied if others own them too, and moved if they do not begin at the first value.
    ///
    /// # Errors
    /// Where there is no memory for a copy.
    pub fn take(buffer: Arc<Self>) -> Result<Vec<T>, HostArrayError>
    where
        T: Clone,
    {
        match Arc::try_unwrap(buffer) {
            Ok(mut alone) => {
                alone.values.drain(..std::mem::take(&mut alone.start));
                Ok(std::mem::take(&mut alone.values))
            }
            Err(shared) => {
                let mut copy = reserved(shared.len())?;
                copy.extend_from_slice(&shared);
                Ok(copy)
            }
        }
    }
}

impl<T> Drop for Buffer<T>
where
    Column: From<Buffer<T>>,
{
    fn drop(&mut self) {
        let home = self.home.take().and_then(|home| home.upgrade());
        if let (Some(home), false) = (home, self.values.is_empty()) {
            let values = std::mem::take(&mut self.values);
            home.take_back(Column::from(Self::starting_at(values, self.start)));
        }
    }
}

impl<T> From<Vec<T>> for Buffer<T>
where
    Column: From<Buffer<T>>,
{
    fn from(values: Vec<T>) -> Self {
        Self::starting_at(values, 0)
    }
}

impl<T> Deref for Buffer<T>
where
    Column: From<Buffer<T>>,
{
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values[self.start..]
    }
}

impl<T> DerefMut for Buffer<T>
where
    Column: From<Buffer<T>>,
{
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values[self.start..]
    }
}

impl<T: PartialEq> PartialEq for Buffer<T>
where
    Column: From<Buffer<T>>,
{
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: fmt::Debug> fmt::Debug for Buffer<T>
where
    Column: From<Buffer<T>>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[derive(Default)]
    struct Kept(Mutex<Vec<Column>>);

    impl Home for Kept {
        fn take_back(&self, column: Column) {
            self.0.lock().unwrap().push(column);
        }
    }

    fn at_home(kept: &Arc<Kept>) -> Arc<Buffer<f64>> {
        let mut buffer = Buffer::from(vec![1.0, 2.0]);
        let home: Weak<Kept> = Arc::downgrade(kept);
        buffer.set_home(home);
        Arc::new(buffer)
    }

    #[test]
    fn the_last_owner_sends_memory_home() {
        let kept = Arc::new(Kept::default());
        let buffer = at_home(&kept);
        let other = buffer.clone();
        drop(buffer);
        assert!(kept.0.lock().unwrap().is_empty());
        drop(other);
        assert_eq!(kept.0.lock().unwrap().len(), 1);
    }

    #[test]
    fn elements_that_are_taken_stay() {
        let kept = Arc::new(Kept::default());
        let buffer = at_home(&kept);
        let other = buffer.clone();
        assert_eq!(Buffer::take(other).unwrap(), [1.0, 2.0]);
        assert_eq!(Buffer::take(buffer).unwrap(), [1.0, 2.0]);
        assert!(kept.0.lock().unwrap().is_empty());
    }

    #[test]
    fn elements_may_begin_later() {
        let kept = Arc::new(Kept::default());
        let padded = || {
            let mut buffer = Buffer::starting_at(vec![9.0, 1.0, 2.0], 1);
            let home: Weak<Kept> = Arc::downgrade(&kept);
            buffer.set_home(home);
            Arc::new(buffer)
        };
        assert!(!padded().is_whole() && Buffer::from(vec![1.0]).is_whole());
        assert_eq!(padded()[..], [1.0, 2.0]);
        assert_eq!(*padded(), Buffer::from(vec![1.0, 2.0]));
        assert_eq!(format!("{:?}", padded()), "[1.0, 2.0]");
        assert!(
            kept.0
                .lock()
                .unwrap()
                .iter()
                .all(|column| column.len() == 2)
        );
        let buffer = padded();
        assert_eq!(Buffer::take(buffer.clone()).unwrap(), [1.0, 2.0]);
        assert_eq!(Buffer::take(buffer).unwrap(), [1.0, 2.0]);
        assert!(Buffer::starting_at(vec![1.0], 2).is_empty());
    }

    #[test]
    fn memory_survives_its_home() {
        let kept = Arc::new(Kept::default());
        let buffer = at_home(&kept);
        drop(kept);
        assert_eq!(buffer[1], 2.0);
    }
}
