//! The database as a file of SQLite: version, pages, schema.

use sqlx::SqlitePool;

use super::{Depth, Finding, named};
use crate::{
    db::{self, MIGRATIONS},
    store::schema,
};

/// Triggers without which a row of the log could be changed by a slip.
const GUARDS: [&str; 6] = [
    "entry_refuses_delete",
    "entry_refuses_update",
    "tile_refuses_delete",
    "tile_refuses_update",
    "tree_head_refuses_delete",
    "tree_head_refuses_update",
];

pub(super) async fn check(pool: &SqlitePool, depth: Depth) -> anyhow::Result<Vec<Finding>> {
    let mut findings = vec![match db::check_version(pool).await {
        Ok(version) => Finding::ok("sqlite", format!("SQLite {version} is linked")),
        Err(error) => Finding::wrong("sqlite", format!("{error:#}"), "build with a newer libsqlite3-sys"),
    }];
    findings.push(match schema::integrity(pool, depth.deep).await {
        Ok(problems) if problems.is_empty() => {
            Finding::ok("database", if depth.deep { "every page is sound" } else { "the pages are sound" })
        }
        Ok(problems) => Finding::wrong(
            "database",
            named(&problems),
            "stop the server, keep the file aside, restore the newest backup; the anchor says whether entries are lost",
        ),
        Err(error) => Finding::wrong(
            "database",
            format!("the pages cannot be read: {error}"),
            "stop the server, keep the file aside, restore the newest backup",
        ),
    });
    findings.push(check_schema(pool).await);
    Ok(findings)
}

async fn check_schema(pool: &SqlitePool) -> Finding {
    let (applied, triggers) = match (schema::applied(pool).await, schema::triggers(pool).await) {
        (Ok(applied), Ok(triggers)) => (applied, triggers),
        (Err(error), _) | (_, Err(error)) => {
            let said = format!("this is no database of acta-server: {error}");
            return Finding::wrong("schema", said, "name the right folder with --data-dir");
        }
    };
    let known = || MIGRATIONS.iter().filter(|migration| !migration.migration_type.is_down_migration());
    let newest = known().map(|migration| migration.version).max().unwrap_or(0);
    for (version, checksum) in &applied {
        match known().find(|migration| migration.version == *version) {
            None => {
                let said = format!("the schema has version {version}, this program knows up to {newest}");
                return Finding::wrong("schema", said, "use the acta-server that served this folder last");
            }
            Some(migration) if migration.checksum[..] != checksum[..] => {
                let said = format!("migration {version} was applied with another content");
                return Finding::wrong("schema", said, "use the acta-server that made this database");
            }
            Some(_) => {}
        }
    }
    let missing: Vec<&str> =
        GUARDS.into_iter().filter(|name| !triggers.iter().any(|there| there == name)).collect();
    if !missing.is_empty() {
        let said = format!("triggers that keep the log append-only are missing: {}", missing.join(", "));
        let advice =
            "somebody changed the schema: check the log below, then restore the triggers from migration 1";
        return Finding::wrong("schema", said, advice);
    }
    match applied.last() {
        Some((version, _)) if *version < newest => {
            Finding::note("schema", format!("version {version}; the next start brings it to {newest}"))
        }
        _ => {
            Finding::ok("schema", format!("version {newest}; entries, tiles and tree heads are append-only"))
        }
    }
}
