// The page is whole without this. It adds: the source of a number that is pointed at, sorting, filters, copying,
// and a test of the page by itself.
(() => {
  'use strict';
  const all = (css, under = document) => Array.from(under.querySelectorAll(css));
  const make = (tag, props) => Object.assign(document.createElement(tag), props);

  // Where a cell comes from: its own data-from; or its row's, or its part of the table, and its column's data-key.
  const headsOf = new Map();
  const heads = table => {
    if (!headsOf.has(table)) headsOf.set(table, all('thead th', table));
    return headsOf.get(table);
  };
  const sourceOf = element => {
    const own = element.closest('[data-from]');
    const cell = element.closest('td,tbody th');
    if (!cell || (own && cell.contains(own))) return own ? own.dataset.from : '';
    const table = cell.closest('table'), head = heads(table)[cell.cellIndex];
    if (cell.dataset.i !== undefined) {
      return head.dataset.from ? `${head.dataset.from}/${cell.dataset.i}/error_ulp`
                               : `${table.dataset.from}/${cell.dataset.i}/error_ulp`;
    }
    if (cell.parentElement.classList.contains('rest')) return ''; // what the page leaves to results.csv
    const part = cell.closest('tbody.e');
    if (part) {
      const row = Array.prototype.indexOf.call(part.rows, cell.parentElement), key = head && head.dataset.key;
      const base = part.dataset.from + (row ? `/regimes/${cell.parentElement.dataset.i || row - 1}` : '/total');
      if (key === 'impl') return row ? base + '/regime' : part.dataset.from + '/impl';
      return key === 'dtype' ? part.dataset.from + '/dtype' : key ? `${base}/${key}` : '';
    }
    const row = cell.closest('tr[data-from]');
    return row && head && head.dataset.key ? `${row.dataset.from}/${head.dataset.key}` : '';
  };
  // The command that shows a number of a curve or a map again: the input of its row, and the rest of its column.
  const replayOf = element => {
    const cell = element.closest && element.closest('td[data-i]'), row = cell && cell.parentElement;
    if (!row || !row.dataset.case) return '';
    const table = cell.closest('table'), head = heads(table)[cell.cellIndex];
    const end = head.dataset.replay || table.dataset.replay;
    return end && `build/release/normcheck replay ${row.dataset.case.replace('*', head.dataset.kappa)} ${end}`;
  };
  const where = make('div', {id: 'where'});
  document.body.append(where);
  const tell = event => {
    const source = event.target.closest ? sourceOf(event.target) : '', again = replayOf(event.target);
    where.textContent = source ? 'results.json ' + source + (again && `; again, a click copies it: ${again}`) : '';
  };
  document.addEventListener('pointerover', tell);
  document.addEventListener('click', tell);

  // Sorting: numbers by size, words by letter, what was not run last.
  const numberIn = text => {
    const word = text.trim().replace(/^[✓✗?○–!<>□■~]\s*/, '').replace(/,/g, '');
    if (/^inf/.test(word)) return Infinity;
    return /^[-+]?[\d.]/.test(word) ? parseFloat(word) : NaN;
  };
  const textOf = cell => (cell ? cell.firstElementChild && cell.firstElementChild.tagName === 'DETAILS'
    ? cell.querySelector('summary').textContent : cell.textContent : '').trim();
  const compare = (a, b) => {
    const x = numberIn(a), y = numberIn(b);
    if (!isNaN(x) && !isNaN(y)) return x < y ? -1 : x > y ? 1 : 0;
    return a < b ? -1 : a > b ? 1 : 0;
  };
  const nothing = /^(not run|none judged|no bound|no number|no such row|not kept|nan$)/;
  const unitsOf = table => {
    const parts = all(':scope > tbody.e', table);
    return parts.length ? parts : Array.from(table.tBodies[0].rows);
  };
  const sort = (table, column, descending) => {
    const key = unit => {
      const row = unit.tagName === 'TBODY' ? unit.rows[0] : unit;
      return textOf(row.cells[column]);
    };
    const keyed = unitsOf(table).map(unit => [key(unit), unit]);
    keyed.sort(([a], [b]) => {
      const last = nothing.test(a) - nothing.test(b);
      return last || (descending ? compare(b, a) : compare(a, b));
    });
    for (const [, unit] of keyed) unit.parentElement.append(unit);
    for (const th of heads(table)) th.removeAttribute('aria-sort');
    heads(table)[column].setAttribute('aria-sort', descending ? 'descending' : 'ascending');
  };
  for (const table of all('table.sort')) {
    heads(table).forEach((th, column) => {
      const button = make('button', {type: 'button'});
      button.append(...th.childNodes);
      th.append(button);
      button.addEventListener('click', () => sort(table, column, th.getAttribute('aria-sort') === 'ascending'));
    });
  }

  // Filters: every word of the text, and the dtype, must be in the row.
  const filter = (table, words, dtype) => {
    let shown = 0;
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const units = unitsOf(table);
    for (const unit of units) {
      const row = unit.tagName === 'TBODY' ? unit.rows[0] : unit;
      const text = row.textContent.toLowerCase();
      const cells = Array.from(row.cells, textOf);
      const fits = wanted.every(w => text.includes(w)) && (!dtype || cells.some(c => c.split(', ').includes(dtype)));
      unit.hidden = !fits;
      shown += fits;
    }
    return [shown, units.length];
  };
  for (const table of all('table.filter')) {
    const tools = make('div', {className: 'tools'});
    const words = make('input', {type: 'search', placeholder: 'filter: two_pass FAIL', ariaLabel: 'words that a row must hold'});
    const dtype = make('select', {ariaLabel: 'dtype'});
    for (const name of ['', 'f32', 'f64', 'f16', 'bf16']) dtype.append(make('option', {value: name, textContent: name || 'every dtype'}));
    const count = make('span', {role: 'status'});
    const run = () => {
      const [shown, of] = filter(table, words.value, dtype.value);
      count.textContent = `${shown} of ${of} shown`;
    };
    words.addEventListener('input', run);
    dtype.addEventListener('change', run);
    tools.append(words, dtype, count);
    table.closest('.box').before(tools);
    run();
  }

  // Copying: the clipboard where the browser lends it, else a selection.
  const copy = async text => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = make('textarea', {value: text, readOnly: true});
      document.body.append(area);
      area.select();
      const done = document.execCommand('copy');
      area.remove();
      return done;
    }
  };
  document.addEventListener('click', async event => {
    const again = replayOf(event.target);
    if (again && await copy(again)) where.textContent = 'copied: ' + again;
  });
  for (const code of all('code.cmd')) {
    const button = make('button', {type: 'button', className: 'copy', textContent: 'copy', title: 'copy the command'});
    button.addEventListener('click', async () => {
      button.textContent = await copy(code.textContent) ? 'copied' : 'select it by hand';
      setTimeout(() => { button.textContent = 'copy'; }, 1500);
    });
    code.before(button);
  }

  // A source that is named leads to the number, if the page shows it.
  let sources;
  const show = pointer => {
    if (!sources) {
      sources = new Map();
      for (const cell of all('td,[data-from]')) {
        const source = sourceOf(cell);
        if (source && !sources.has(source)) sources.set(source, cell);
      }
    }
    let at = pointer;
    const shown = () => sources.get(at) || sources.get(`${at}/points`);  // or the curve that it belongs to
    while (at && !shown()) at = at.slice(0, at.lastIndexOf('/'));
    const cell = shown();
    if (!cell) return;
    for (let up = cell; up; up = up.parentElement) {
      if (up.tagName === 'DETAILS') up.open = true;
      if (up.matches('tbody.e') && cell.parentElement !== up.rows[0]) all('details', up).forEach(d => { d.open = true; });
    }
    all('.found').forEach(f => f.classList.remove('found'));
    cell.classList.add('found');
    cell.scrollIntoView({block: 'center', inline: 'center'});
  };
  for (const code of all('code.ptr')) code.addEventListener('click', () => show(code.textContent));

  // What a cell says of its own source: a pair has its bound below, in small.
  const said = cell => (cell.dataset.i !== undefined || cell.dataset.from !== undefined ? Array.from(cell.childNodes).filter(c => c.tagName !== 'SMALL')
    .map(c => c.textContent).join('') : cell.textContent).replace(/\s+/g, ' ').trim();

  // The test of the page by itself: no cell is blank, and what is shown is what the results say.
  const agrees = (text, value) => {
    if (value === null) return text !== '';
    if (typeof value === 'boolean') return text.includes(value ? 'yes' : 'no');
    if (typeof value === 'string') {
      if (value.trim() === '' || text.includes(value.trim().replace(/\s+/g, ' '))) return true;
      return (value === 'inf' || value === 'nan') && text.includes('no bound');
    }
    const shown = numberIn(text);
    if (shown === Infinity) return value > 1.7e308;  // two digits of the largest double are past it
    if (/^[<>][\d.]+%/.test(text)) return text[0] === '<' ? value < 0.001 : value > 0.999;
    if (text.includes('%')) return Math.abs(shown / 100 - value) <= 0.0006;
    return Math.abs(shown - value) <= 0.051 * Math.abs(value);
  };
  const cellsOf = () => all('td,th,[data-from]').filter(e => !e.matches('tr,tbody,table,g,svg,article'));
  const selfTest = () => {
    const faults = [];
    const seen = new Map();
    let count = 0;
    for (const cell of cellsOf()) {
      if (cell.matches('td,th')) {
        ++count;
        if (cell.textContent.trim() === '' && !cell.querySelector('svg')) faults.push('a blank cell: ' + (sourceOf(cell) || 'no source'));
      }
      const source = cell.closest('thead') ? '' : sourceOf(cell);
      if (source && !seen.has(source)) seen.set(source, said(cell));
    }
    const sample = JSON.parse(document.getElementById('sample').textContent);
    let compared = 0;
    for (const [source, value] of Object.entries(sample)) {
      ++compared;
      if (!seen.has(source)) faults.push('nothing shows ' + source);
      else if (!agrees(seen.get(source), value)) faults.push(`${source} is ${value}, and the page shows ${seen.get(source)}`);
    }
    if (compared === 0) faults.push('no value to compare');
    const at = document.getElementById('self-test');
    at.textContent = faults.length === 0
      ? `This page has tested itself: ✓ none of its ${count.toLocaleString('en')} cells is blank, and ${compared} values agree with the results.`
      : `This page has tested itself: ✗ ${faults.length} faults: ${faults.slice(0, 5).join('; ')}`;
    at.dataset.result = faults.length === 0 ? 'passed' : 'failed';
    return faults;
  };
  // For a test from outside: every number with its source.
  window.normcheckPage = {
    selfTest,
    cells: () => cellsOf().filter(c => !c.closest('thead')).map(c => [sourceOf(c), said(c)]).filter(([source, text]) => source && text)
  };
  setTimeout(selfTest, 0);
})();
