// The portal's pages, as `app/src/routes.rs` lists them: what a test or a picture of "every page" means.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './support.mjs';

/** The paths that show a page, like `/runs/{id}`. */
export function pagePaths() {
  const source = readFileSync(join(root, 'app/src/routes.rs'), 'utf8');
  const table = /pub const PATHS: &\[&str\] = &\[([^\]]*)\]/.exec(source);
  if (!table) throw new Error('app/src/routes.rs has no PATHS any more: tell tests/browser/pages.mjs where they stand');
  return [...table[1].matchAll(/"([^"]*)"/g)].map(([, path]) => path);
}

/** Which of the portal's paths an address is of; none if it shows no page. */
export function pathOf(address) {
  const parts = address.split(/[?#]/)[0].replace(/(.)\/$/, '$1').split('/');
  const fits = (path) => {
    const names = path.split('/');
    return names.length === parts.length && names.every((name, at) => (name.startsWith('{') ? parts[at] : name === parts[at]));
  };
  // A name that stands there word for word is meant before one that stands for any.
  return pagePaths().sort((a, b) => a.split('{').length - b.split('{').length).find(fits);
}
