'use strict';
// Elements and numbers. Texts only ever become text nodes, so that no name in a case can become markup.

function make(tag, attributes = {}, ...children) {
  const element = tag.startsWith('svg:') ? document.createElementNS('http://www.w3.org/2000/svg', tag.slice(4))
                                         : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else if (value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? '' : value);
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined).map(
      (child) => child instanceof Node ? child : String(child)));
  return element;
}

const groups = new Intl.NumberFormat('en-US', {maximumFractionDigits: 0});

function whole(value) {
  return groups.format(value);
}

// Four significant digits; what is not finite comes as text.
function figure(value) {
  if (typeof value !== 'number') {
    return value === null || value === undefined ? '' : String(value);
  }
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e9)) {
    return value.toExponential(2);
  }
  return size >= 1000 ? whole(value) : String(Number(value.toPrecision(4)));
}

function percent(part) {
  const value = 100 * part;
  return (value > 0 && value < 10 ? value.toFixed(1) : value.toFixed(0)) + '\u00a0%';
}

function bytes(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (value >= 1024 && unit + 1 < units.length) {
    value /= 1024;
    ++unit;
  }
  return Number(value.toPrecision(4)) + '\u00a0' + units[unit];
}

// columns: [{name, number, of: row => cell}]; a cell is a text, a node or a list of them.
function table(caption, columns, rows) {
  const head = columns.map((column) => make('th', {scope: 'col', class: column.number && 'num'}, column.name));
  const body = rows.map((row) => make('tr', {}, columns.map((column) =>
      make('td', {class: column.number ? 'num' : column.place ? 'place' : false}, column.of(row)))));
  return make('div', {class: 'scroll'}, make('table', {}, caption ? make('caption', {}, caption) : null,
      make('thead', {}, make('tr', {}, head)), make('tbody', {}, body)));
}

// The width of a bar is a share of 1.
function meter(share, colour) {
  const bar = make('i');
  bar.style.width = 100 * Math.min(Math.max(share, 0), 1) + '%';
  if (colour) {
    bar.style.background = colour;
  }
  return make('span', {class: 'meter', 'aria-hidden': 'true'}, bar);
}

function folded(title, ...children) {
  return make('details', {}, make('summary', {}, title), children);
}

function pipeColour(pipe) {
  return `var(--pipe-${pipe})`;
}

// A source line by its last two names; the whole path shows on hovering.
function place(text) {
  const short = text.split('/').slice(-2).join('/');
  return short === text ? text : make('span', {title: text}, short);
}

// A number and its percent sign stay on one line.
function unbroken(text) {
  return text.replace(/(\d) %/g, '$1\u00a0%');
}
