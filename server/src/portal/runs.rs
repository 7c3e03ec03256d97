//! A page of runs, for the portal and for the API alike.

use std::sync::Arc;

use acta_app::view::{Place, RunQuery, RunRow, RunsView};
use acta_ledger::judge::filter::{Bounds, Filter};

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
    views::RunPage,
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

/// The newest runs that a filter lets through, a page of them.
pub async fn first(state: &AppState, filter: Filter) -> Answer<Vec<RunRow>> {
    let query = RunQuery { filter, ..RunQuery::default() };
    let wanted = wanted(state, &query.filter).await?;
    Ok(rows(state, &wanted, &query, None).await?.rows)
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
    let RunPage { rows, earlier, later } = rows(state, &wanted, &query, key).await?;
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

/// The rows of a page, which ends or begins at a place in the order.
async fn rows(state: &AppState, wanted: &Wanted, query: &RunQuery, key: Option<Key>) -> Answer<RunPage> {
    let pool = &state.database.read;
    let look = async {
        // One row more than the page tells whether another page follows.
        let (limit, size) = (PAGE_SIZE + 1, PAGE_SIZE as usize);
        Ok::<_, sqlx::Error>(match (query.place, key) {
            (Some(Place::Before(_)), Some(key)) => {
                let mut rows = list::before(pool, wanted, query.order, key, limit).await?;
                let earlier = rows.len() > size;
                rows.drain(..rows.len().saturating_sub(size));
                RunPage { rows, earlier, later: true }
            }
            (place, key) => {
                let mut rows = list::behind(pool, wanted, query.order, key, limit).await?;
                let later = rows.len() > size;
                rows.truncate(size);
                RunPage { rows, earlier: place.is_some(), later }
            }
        })
    };
    // How long ago a run began changes with the clock, and a route's state does as well.
    if query.filter.age != Bounds::default() || query.filter.state.is_some() {
        return Ok(look.await?);
    }
    let question = (query.filter.clone(), query.order, query.place);
    let found = state.views.runs.at(question, state.log.head().head.size, look).await?;
    Ok((*found).clone())
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
