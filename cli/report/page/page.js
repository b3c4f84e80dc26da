'use strict';
// The page: a summary of several cases, then each case.

const kSummaryColumns = [
  {name: 'case', key: (item) => item.id, of: (item, index) => make('a', {href: `#case-${index}`}, item.id)},
  {name: 'verdict', key: (item) => item.verdict, of: (item) => badge(item, true)},
  {name: '\u00b5s', number: true, key: (item) => item.time_us, of: (item) => figure(item.time_us)},
  {name: 'reached', number: true, key: (item) => item.efficiency, of: (item) => item.efficiency === undefined ? '' : [meter(item.efficiency), ' ', percent(item.efficiency)]},
  {name: 'error/bound', number: true, key: (item) => item.comparison && item.comparison.max_error_over_bound, of: (item) => item.comparison ? figure(item.comparison.max_error_over_bound) : ''},
  {name: 'in short', key: (item) => item.sentence || item.message, of: firstSentence},
];

// "Bound by pipe M: if M took no time, ...": up to the colon.
function firstSentence(item) {
  const text = item.sentence;
  if (!text) {
    const message = item.message.replace(/^\S*\/([^/]+:\d+: row )/, '$1');  // a file by its last name
    return message.length > 160 ? message.slice(0, 160) + '\u2026' : message;
  }
  const end = text.search(/[:\n]|\. /);
  return end < 0 ? text : text.slice(0, end);
}

function sortedBy(rows, key, ascending) {
  const there = rows.filter(({item}) => key(item) !== undefined);
  const missing = rows.filter(({item}) => key(item) === undefined);
  const order = (a, b) => typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
  there.sort((a, b) => (ascending ? 1 : -1) * order(key(a.item), key(b.item)));
  return there.concat(missing);
}

function summaryTable(cases) {
  const rows = cases.map((item, index) => ({item, index}));
  const body = make('tbody');
  const fill = (sorted) => body.replaceChildren(...sorted.map(({item, index}) => make('tr', {}, kSummaryColumns.map(
      (column) => make('td', {class: column.number && 'num', 'data-name': column.name}, column.of(item, index))))));
  const heads = kSummaryColumns.map((column) => {
    const head = make('th', {scope: 'col', class: column.number && 'num'}, make('button', {type: 'button', onclick: () => {
      const ascending = head.getAttribute('aria-sort') !== 'ascending';
      heads.forEach((other) => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', ascending ? 'ascending' : 'descending');
      fill(sortedBy(rows, column.key, ascending));
    }}, column.name));
    return head;
  });
  fill(rows);
  return make('div', {class: 'scroll'}, make('table', {}, make('thead', {}, make('tr', {}, heads)), body));
}

function summarySection(cases) {
  const counts = new Map();
  cases.forEach((item) => counts.set(item.verdict, (counts.get(item.verdict) || 0) + 1));
  const said = [...counts].map(([verdict, count]) => `${count} ${kVerdicts[verdict][0]}`).join(', ');
  const time = cases.reduce((sum, item) => sum + (item.time_us || 0), 0);
  return make('section', {id: 'summary', class: 'case'}, make('h1', {}, `${cases.length} cases: ${said}`),
      time > 0 ? make('p', {class: 'soft'}, `${figure(time)}\u00a0\u00b5s together`) : null, summaryTable(cases));
}

function drawPage() {
  const report = JSON.parse(document.getElementById('data').textContent);
  const page = document.getElementById('page');
  const alone = report.cases.length === 1;
  if (!alone) {
    page.append(summarySection(report.cases));
  }
  report.cases.forEach((item, index) => page.append(caseSection(item, index, alone)));
  page.append(make('p', {class: 'soft'}, 'Simulated by tilesim; its docs/report.md says what each part means.'));
  timelines.forEach((timeline) => timeline.draw());
}

// On paper everything is light.
function setPrinting(printing) {
  document.documentElement.classList.toggle('printing', printing);
  timelines.forEach((timeline) => timeline.draw());
}
addEventListener('beforeprint', () => setPrinting(true));
addEventListener('afterprint', () => setPrinting(false));
drawPage();
