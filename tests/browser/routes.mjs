// A route for the portal's tests, and what persons do on its pages: each goes form -> review -> result as a person would,
// and every page on the way is held to be accessible where the browser runs scripts.

import assert from 'node:assert/strict';

import { accessibilityFindings, openPage, program, run, startServer } from './support.mjs';

export const password = 'correct horse battery staple';

/** A server with these accounts (`{ ana: 'approver' }`), an admin `adam`, and the route `mini` without a bundle. */
export async function startWithRoute(roles) {
  const users = Object.entries({ adam: 'admin', ...roles }).map(([name, role]) => ({ name, role, password }));
  const server = await startServer({ users, args: [] });
  await run(program('acta-stage'), [server.url, 'define', 'adam', password]);
  return server;
}

/** Everything about a bundle that an approval needs, but what is left out; returns its digest. */
export async function gather(server, bundle, { owner, leftOut = [] } = {}) {
  const label = `builder-${bundle.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
  const args = ['agent', 'token', '--label', label, '--print-only', ...(owner ? ['--owner', owner] : [])];
  const token = (await server.admin(args)).trim();
  return (await run(program('acta-stage'), [server.url, 'gather', token, bundle, ...leftOut])).trim();
}

/** A person's page after signing in. */
export async function signedIn(browser, server, name, { javaScriptEnabled = true } = {}) {
  const page = await openPage(browser, { baseURL: server.url, javaScriptEnabled });
  page.scripted = javaScriptEnabled;
  await page.goto('/sign-in?next=%2Froutes');
  await page.locator('input[name=name]').fill(name);
  await page.locator('input[name=password]').fill(password);
  await page.locator('form[action="/sign-in"] button').click();
  await page.waitForURL('**/routes');
  return page;
}

const judged = new Set();

/**
 * Nothing that axe finds on the page. What a page without scripts shows is the same HTML; and a page that says the same
 * but for numbers and digests was looked at before.
 */
export async function isAccessible(page) {
  if (!page.scripted) return;
  const said = `${new URL(page.url()).pathname} ${await page.locator('h1').innerText()}`.replaceAll(/\b[0-9a-f]*\d[0-9a-f]*\b/g, '#');
  if (judged.has(said)) return;
  judged.add(said);
  assert.deepEqual(await accessibilityFindings(page), [], page.url());
}

/** Opens the route's page for a bundle and returns its text. */
export async function openRoute(page, bundle) {
  await page.goto(`/routes/mini?bundle=${bundle}`);
  await isAccessible(page);
  return page.locator('main').innerText();
}

/** What the API says of the bundle: `record`, `state`, `logSize`. */
export async function routeState(page, bundle) {
  const answer = await page.request.get(`/api/v1/routes/mini?bundle=${bundle}`);
  assert.equal(answer.status(), 200, await answer.text());
  return answer.json();
}

async function fill(form, fields) {
  for (const [name, value] of Object.entries(fields)) {
    const boxes = form.locator(`input[type=checkbox][name=${name}]`);
    if (await boxes.count()) {
      for (const one of [].concat(value)) await form.locator(`input[name=${name}][value="${one}"]`).check();
      continue;
    }
    const field = form.locator(`[name=${name}]`).first();
    if ((await field.evaluate((element) => element.tagName)) === 'SELECT') await field.selectOption(value);
    else await field.fill(value);
  }
}

/** Fills the form on the route's page and goes on to the review. */
export async function reviewDecision(page, bundle, kind, fields = {}) {
  await page.goto(`/routes/mini?bundle=${bundle}`);
  const form = page.locator('form[action="/routes/mini/decide"]');
  await form.locator(`input[name=kind][value=${kind}]`).check();
  await fill(form, fields);
  await form.locator('button').first().click();
  await page.waitForURL('**/routes/mini/decide?*');
  await isAccessible(page);
}

/** Signs the decision under review; returns the entry that it became, or 0 where the server told why not. */
export async function signDecision(page) {
  return sign(page, page.locator('form[action="/routes/mini/decisions"]'));
}

/** Form, review, signed result. */
export async function decide(page, bundle, kind, fields = {}) {
  await reviewDecision(page, bundle, kind, fields);
  assert.ok(await signDecision(page), await page.locator('main').innerText());
  await isAccessible(page);
}

/** Fills and signs the order under review; returns the entry, or 0. */
export async function signOrder(page, fields) {
  const form = page.locator('form[action="/routes/mini/orders"]');
  await fill(form, fields);
  return sign(page, form);
}

/** Signs the confirmation under review; returns the entry, or 0. */
export async function signConfirmation(page) {
  return sign(page, page.locator('form[action="/routes/mini/confirmations"]'));
}

/** The review of an order, then its signed result; returns the entry. */
export async function order(page, action, bundle, fields = { reason_code: 'other', text: 'as agreed' }) {
  await page.goto(`/routes/mini/rollback?action=${action}&to=${bundle}`);
  await isAccessible(page);
  const entry = await signOrder(page, fields);
  assert.ok(entry, await page.locator('main').innerText());
  await isAccessible(page);
  return entry;
}

async function sign(page, form) {
  await form.locator('button').first().click();
  await page.waitForURL((url) => url.pathname.includes('/done/') || url.searchParams.has('error'));
  return Number(new URL(page.url()).pathname.match(/\/done\/(\d+)/)?.[1] ?? 0);
}

/** Waits until something holds, looking again and again. */
export async function until(what, look) {
  const end = Date.now() + 30_000;
  for (;;) {
    const found = await look();
    if (found) return found;
    assert.ok(Date.now() < end, `in vain: ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
