//! A page of runs, for the portal and for the API alike.

use std::sync::Arc;

use acta_app::view::{Place, RunQuery, RunRow, RunsView};
use acta_ledger::judge::filter::{Filter, Order};

use super::ServerPortal;
use crate::{
    clock,
    error::{Answer, Problem},
    route,
    startup::AppState,
    store::run::{
        kind::{Admitted, Known},
        list::{self, Key, MAX_COUNTED, Wanted},
    },
};

/// Rows a page.
pub const PAGE_SIZE: u32 = 50;

/// The kinds that a filter admits, among all.
async fn admitted(state: &AppState, filter: &Filter) -> Answer<(Admitted, Arc<Known>)> {
    let kinds = state.kinds.at(&state.database.read, state.log.head().head.size).await?;
    let states = match filter.state {
        Some(_) => route::states(state).await?,
        None => Default::default(),
    };
    let admitted = Admitted::by(filter, &kinds.kinds, |route| states.get(route).copied());
    Ok((admitted, kinds))
}

/// The first `limit` runs that a filter lets through, in an order.
pub async fn first(state: &AppState, filter: &Filter, order: Order, limit: u32) -> Answer<Vec<RunRow>> {
    let wanted = wanted(state, filter).await?;
    Ok(list::behind(&state.database.read, &wanted, order, None, limit).await?)
}

/// What a filter lets through now.
pub async fn wanted(state: &AppState, filter: &Filter) -> Answer<Wanted> {
    let (admitted, _) = admitted(state, filter).await?;
    Ok(Wanted::new(filter, &admitted, clock::now()))
}

/// The place in the order behind which, or before which, a page stands; none for the first page.
pub async fn place(state: &AppState, query: &RunQuery) -> Answer<Option<Key>> {
    let Some(Place::After(number) | Place::Before(number)) = query.place else { return Ok(None) };
    let key = list::key(&state.database.read, query.order, number).await?;
    key.map(Some).ok_or_else(|| no_such_place(query.place))
}

/// The page that is asked for.
pub async fn page(state: &AppState, query: RunQuery) -> Answer<RunsView> {
    let pool = &state.database.read;
    let (admitted, kinds) = admitted(state, &query.filter).await?;
    let wanted = Wanted::new(&query.filter, &admitted, clock::now());
    let (mut matching, mut need_a_person) = (admitted.runs, admitted.need_a_person);
    if let Some(counted) = list::counted(pool, &wanted).await? {
        // The kinds are in the order of their ids.
        let at = |id: i64| kinds.kinds.binary_search_by_key(&id, |kind| kind.id);
        let need = |id: i64| at(id).is_ok_and(|at| kinds.kinds[at].facts.needs_person);
        matching = counted.iter().map(|(_, runs)| runs).sum();
        need_a_person = counted.iter().filter(|(id, _)| need(*id)).map(|(_, runs)| runs).sum();
    }
    let key = place(state, &query).await?;
    // One row more than the page tells whether another page follows.
    let (limit, size) = (PAGE_SIZE + 1, PAGE_SIZE as usize);
    let (rows, earlier, later) = match (query.place, key) {
        (Some(Place::Before(_)), Some(key)) => {
            let mut rows = list::before(pool, &wanted, query.order, key, limit).await?;
            let earlier = rows.len() > size;
            rows.drain(..rows.len().saturating_sub(size));
            (rows, earlier, true)
        }
        (place, key) => {
            let mut rows = list::behind(pool, &wanted, query.order, key, limit).await?;
            let later = rows.len() > size;
            rows.truncate(size);
            (rows, place.is_some(), later)
        }
    };
    let previous = rows.first().filter(|_| earlier).map(|row| Place::Before(row.number));
    let next = rows.last().filter(|_| later).map(|row| Place::After(row.number));
    Ok(RunsView {
        choices: kinds.choices.clone(),
        more: matching > u64::from(MAX_COUNTED) && query.filter.has_bounds(),
        matching: if query.filter.has_bounds() { matching.min(u64::from(MAX_COUNTED)) } else { matching },
        total: admitted.total,
        need_a_person,
        rows,
        previous,
        next,
        query,
    })
}

fn no_such_place(place: Option<Place>) -> Problem {
    let (field, number) = match place {
        Some(Place::After(number)) => ("after", number),
        Some(Place::Before(number)) => ("before", number),
        None => ("after", 0),
    };
    Problem::bad_request("bad_filter", "there is no run where the page is to begin")
        .field(field)
        .found(number)
        .expected("the number of a run that is in the log")
}

impl ServerPortal {
    pub(super) async fn runs_view(&self, query: RunQuery) -> Answer<RunsView> {
        self.may_read()?;
        page(&self.state, query).await
    }
}
