// Opens the report's page in headless Chromium and uses it as a reader does.
//   node page_test.js CHROMIUM ONE.html BATCH.html OUT_DIR        (playwright-core is found by NODE_PATH)
'use strict';
const assert = require('node:assert/strict');
const path = require('node:path');
const fs = require('node:fs');
const url = require('node:url');
const {chromium} = require('playwright-core');

const [executablePath, onePage, batchPage, out] = process.argv.slice(2);
const kDesktop = {viewport: {width: 1280, height: 900}};
const kPhone = {viewport: {width: 360, height: 740}, deviceScaleFactor: 2, hasTouch: true, isMobile: true};

// A page that says no error and asks nobody for anything but its own file.
async function open(browser, file, options) {
  const context = await browser.newContext({...options, reducedMotion: 'reduce'});
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) {
      complaints.push(message.text());
    }
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (request.url() !== url.pathToFileURL(path.resolve(file)).href && !request.url().startsWith('data:')) {
      complaints.push(`asks for ${request.url()}`);
    }
  });
  await page.goto(url.pathToFileURL(path.resolve(file)).href);
  return {context, page, complaints};
}

async function overflow(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

const range = (page) => page.locator('canvas').first().evaluate((canvas) => canvas.getAttribute('aria-label'));

async function cycles(page) {
  const found = /cycles ([\d,]+) to ([\d,]+) of ([\d,]+)/.exec(await range(page));
  return found.slice(1).map((text) => Number(text.replaceAll(',', '')));
}

const tests = {
  async 'a case on a desktop'(browser) {
    const {context, page, complaints} = await open(browser, onePage, kDesktop);
    assert.equal(await page.locator('h1').count(), 1);
    assert.match(await page.locator('.badge').innerText(), /ok/);
    for (const title of ['Timeline', 'Roofline', 'Pipe utilisation', 'Tiling', 'Critical path', 'What would help', 'Lower bounds']) {
      assert.equal(await page.getByRole('heading', {name: title, exact: true}).count(), 1, title);
    }
    await page.screenshot({path: path.join(out, 'desktop.png'), fullPage: true});
    assert.ok(await overflow(page) <= 0, 'wider than the window');
    assert.deepEqual(complaints, []);
    await context.close();
  },

  async 'the chosen one of the tilings that none beats'(browser) {
    const rows = fs.readFileSync(path.join(out, 'tuned.csv'), 'utf8').trim().split('\n').length - 1;
    const {context, page, complaints} = await open(browser, onePage, kDesktop);
    const section = page.locator('section.pareto');
    assert.equal(await section.getByRole('heading', {name: 'Tilings that none beats', exact: true}).count(), 1);
    assert.equal(await section.locator('tbody tr').count(), rows);
    assert.equal(await section.locator('svg').count(), 3);
    assert.equal(await section.locator('circle').count(), 3 * rows);
    assert.equal(await section.locator('circle.chosen').count(), 3);
    assert.equal(await section.locator('tbody tr', {hasText: 'this one'}).count(), 1);
    await section.screenshot({path: path.join(out, 'pareto.png')});
    assert.deepEqual(complaints, []);
    await context.close();
  },

  async 'zooms and moves by wheel, buttons and keys'(browser) {
    const {context, page, complaints} = await open(browser, onePage, kDesktop);
    const canvas = page.locator('canvas').first();
    await canvas.scrollIntoViewIfNeeded();
    const [from, to, all] = await cycles(page);
    assert.ok(to <= all && from >= 0);
    await page.getByRole('button', {name: 'the whole launch'}).click();
    assert.deepEqual((await cycles(page)).slice(0, 2), [0, all]);
    await page.getByRole('button', {name: 'zoom in'}).click();
    const [b1, e1] = await cycles(page);
    assert.ok(e1 - b1 < all, 'the button did not zoom');
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 60);
    await page.mouse.wheel(0, -300);
    assert.deepEqual((await cycles(page)).slice(0, 2), [b1, e1], 'the wheel belongs to the page until a click');
    await canvas.focus();
    await page.mouse.move(box.x + box.width / 2, (await canvas.boundingBox()).y + 60);
    await page.mouse.wheel(0, -300);
    await page.waitForFunction((label) => document.querySelector('canvas').getAttribute('aria-label') !== label, await range(page), {timeout: 2000}).catch(() => {});
    const [b2, e2] = await cycles(page);
    assert.ok(e2 - b2 < e1 - b1, 'the wheel did not zoom');
    await page.keyboard.press('ArrowRight');
    const [b3, e3] = await cycles(page);
    assert.ok(b3 > b2 && Math.abs((e3 - b3) - (e2 - b2)) <= 2, 'the key did not move');
    const now = await canvas.boundingBox();
    await page.mouse.move(now.x + 500, now.y + 60);
    await page.mouse.down();
    await page.mouse.move(now.x + 700, now.y + 60, {steps: 4});
    await page.mouse.up();
    assert.ok((await cycles(page))[0] < b3, 'dragging did not move');
    await page.keyboard.press('Home');
    assert.deepEqual((await cycles(page)).slice(0, 2), [0, all]);
    assert.deepEqual(complaints, []);
    await context.close();
  },

  async 'tells the instruction that is chosen'(browser) {
    const {context, page, complaints} = await open(browser, onePage, kDesktop);
    await page.locator('canvas').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const told = await page.locator('.told').first().innerText();
    assert.match(told, / on (S|V|M|MTE1|MTE2|MTE3|FIX)/);
    assert.match(told, /cycles [\d,]+ to [\d,]+/);
    assert.match(told, /\.(h|cpp):\d+/);
    await page.getByText('instructions in view, as a table').first().click();
    await page.locator('.timeline tbody tr').first().waitFor({timeout: 5000});  // drawn once it is open
    assert.deepEqual(complaints, []);
    await context.close();
  },

  async 'the parts of each pipe add up to all of it'(browser) {
    const {context, page} = await open(browser, onePage, kDesktop);
    const widths = await page.locator('.stack .bar').evaluateAll((bars) => bars.map(
        (bar) => [...bar.children].reduce((sum, part) => sum + parseFloat(part.style.width), 0)));
    assert.ok(widths.length > 2);
    widths.forEach((sum) => assert.ok(Math.abs(sum - 100) < 0.01, `adds up to ${sum} %`));
    await context.close();
  },

  async 'a case on a phone'(browser) {
    const {context, page, complaints} = await open(browser, onePage, kPhone);
    assert.ok(await overflow(page) <= 0, 'wider than the phone');
    const canvas = page.locator('canvas').first();
    await canvas.scrollIntoViewIfNeeded();
    await page.getByRole('button', {name: 'zoom in'}).tap();
    const box = await canvas.boundingBox();
    await page.touchscreen.tap(box.x + box.width / 2, box.y + 58);
    await page.screenshot({path: path.join(out, 'phone.png'), fullPage: true});
    assert.deepEqual(complaints, []);
    await context.close();
  },

  async 'two fingers zoom'(browser) {
    const {context, page} = await open(browser, onePage, kPhone);
    await page.locator('canvas').first().scrollIntoViewIfNeeded();
    const [b0, e0] = await cycles(page);
    const box = await page.locator('canvas').first().boundingBox();
    const session = await context.newCDPSession(page);
    const fingers = (apart) => [-1, 1].map((side, id) => ({x: box.x + box.width / 2 + side * apart, y: box.y + 60, id}));
    await session.send('Input.dispatchTouchEvent', {type: 'touchStart', touchPoints: fingers(20)});
    for (const apart of [40, 70, 100]) {
      await session.send('Input.dispatchTouchEvent', {type: 'touchMove', touchPoints: fingers(apart)});
    }
    await session.send('Input.dispatchTouchEvent', {type: 'touchEnd', touchPoints: []});
    const [b1, e1] = await cycles(page);
    assert.ok(e1 - b1 < (e0 - b0) / 2, `from ${e0 - b0} to ${e1 - b1} cycles`);
    await context.close();
  },

  async 'in the dark and on paper'(browser) {
    const {context, page, complaints} = await open(browser, onePage, {...kDesktop, colorScheme: 'dark'});
    await page.screenshot({path: path.join(out, 'dark.png'), fullPage: true});
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.notEqual(await ground(), 'rgb(255, 255, 255)');
    const pdf = await page.pdf({format: 'A4', printBackground: true, margin: {top: '1cm', bottom: '1cm', left: '1cm', right: '1cm'}});
    fs.writeFileSync(path.join(out, 'case.pdf'), pdf);
    assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
    await page.emulateMedia({media: 'print', colorScheme: 'dark'});
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    assert.equal(await ground(), 'rgb(255, 255, 255)');
    assert.equal(await page.locator('.controls').first().isVisible(), false);
    await page.screenshot({path: path.join(out, 'print.png'), fullPage: true});
    assert.deepEqual(complaints, []);
    await context.close();
  },

  async 'a batch, with names that would be markup'(browser) {
    const {context, page, complaints} = await open(browser, batchPage, kDesktop);
    assert.equal(await page.evaluate(() => window.planted), undefined, 'a name was run as script');
    assert.equal(await page.locator('main b b, main img').count(), 0);
    assert.equal(await page.getByRole('heading', {name: '</script><b>&"\'<script>window.planted=1</script>'}).count(), 1);
    const rows = page.locator('#summary tbody tr');
    assert.ok(await rows.count() >= 3);
    await page.getByRole('button', {name: /^\u00b5s/}).click();
    const times = (await rows.locator('td:nth-child(3)').allInnerTexts()).filter(Boolean).map(
        (text) => Number(text.replaceAll(',', '')));
    assert.deepEqual(times, [...times].sort((a, b) => a - b));
    await rows.first().locator('a').click();
    assert.match(page.url(), /#case-\d+$/);
    await page.screenshot({path: path.join(out, 'batch.png'), fullPage: true});
    assert.deepEqual(complaints, []);
    await context.close();
  },

  async 'a batch on a phone'(browser) {
    const {context, page, complaints} = await open(browser, batchPage, kPhone);
    assert.ok(await overflow(page) <= 0, 'wider than the phone');
    await page.screenshot({path: path.join(out, 'batch_phone.png'), fullPage: true});
    assert.deepEqual(complaints, []);
    await context.close();
  },

  async 'without script a line a case'(browser) {
    const context = await browser.newContext({...kDesktop, javaScriptEnabled: false});
    const page = await context.newPage();
    await page.goto(url.pathToFileURL(path.resolve(batchPage)).href);
    assert.ok(await page.locator('noscript li').count() >= 3);
    await context.close();
  },
};

async function main() {
  const browser = await chromium.launch({executablePath, args: ['--no-sandbox', '--disable-gpu']});
  let failures = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test(browser);
      console.log(`holds: ${name}`);
    } catch (error) {
      ++failures;
      console.log(`FAILS: ${name}\n${error.stack}`);
    }
  }
  await browser.close();
  console.log(`${Object.keys(tests).length - failures} of ${Object.keys(tests).length} hold; pictures are in ${out}`);
  process.exit(failures === 0 ? 0 : 1);
}

main();
