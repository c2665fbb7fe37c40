//! The table of sites: the places of the program that errors are reported at.

use cotangent_core::backend::Site;
use cotangent_core::loc::Loc;
use cotangent_core::schedule::SiteId;
use cotangent_core::term::{AccLet, Labelled};
use std::collections::HashMap;

/// An operation as users see it.
pub(crate) fn site_of(let_: &AccLet<Labelled>) -> Site {
    Site {
        construct: let_.op.name(),
        loc: let_.loc,
    }
}

/// What no place of the program has asked for.
pub(crate) fn nowhere(construct: &'static str) -> Site {
    Site {
        construct,
        loc: Loc::default(),
    }
}

/// All sites met so far, each once.
#[derive(Debug, Default)]
pub(crate) struct Sites {
    all: Vec<Site>,
    ids: HashMap<Site, SiteId>,
}

impl Sites {
    /// The place in the table.
    pub(crate) fn id(&mut self, site: Site) -> SiteId {
        let all = &mut self.all;
        *self.ids.entry(site).or_insert_with(|| {
            all.push(site);
            SiteId(all.len() as u32 - 1)
        })
    }

    /// The place of an operation in the table.
    pub(crate) fn of(&mut self, let_: &AccLet<Labelled>) -> SiteId {
        self.id(site_of(let_))
    }

    /// The site at a place.
    pub(crate) fn get(&self, id: SiteId) -> Site {
        self.all[id.index()]
    }

    /// Whether no user wrote what is at a site.
    pub(crate) fn is_derived(&self, id: SiteId) -> bool {
        self.get(id).loc == Loc::UNKNOWN
    }

    /// The table.
    pub(crate) fn into_table(self) -> Vec<Site> {
        self.all
    }
}
