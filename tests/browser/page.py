"""A page of JupyterLab: what a person does there, and what there is to see."""
import time

# Functions of the page. A card is a table in a cell's output.
LOOK = r"""
window.look = (() => {
const panel = () => window.jupyterapp.shell.currentWidget;
const all = (node, what) => Array.from(node.querySelectorAll(what));
const notebook = () => panel().node.querySelector('.jp-Notebook');
const cards = () => all(notebook(), '.jp-OutputArea-output .jp-RenderedHTMLCommon table, .jp-OutputArea-output.jp-RenderedHTMLCommon table');
const rgba = text => { const n = text.match(/[\d.]+/g).map(Number); return n.length > 3 ? n : n.concat(1); };
const over = (top, base, part) => base.map((b, i) => b + (top[i] - b) * part);

// What the eye gets of an element's letters and of the ground under them: grounds and opacities from the page down to it.
const seen = element => {
    const chain = [];
    for (let e = element; e; e = e.parentElement) chain.unshift(getComputedStyle(e));
    const paint = (i, base) => {
        const style = chain[i], ground = rgba(style.backgroundColor), letters = rgba(style.color);
        const under = over(ground, base, ground[3]);
        const pair = i + 1 < chain.length ? paint(i + 1, under) : [over(letters, under, letters[3]), under];
        return pair.map(color => over(color, base, Number(style.opacity)));
    };
    return paint(0, [255, 255, 255]);
};
const light = color => color.map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
                            .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = element => {
    const [a, b] = seen(element).map(light).sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
};
const texts = node => {
    const found = [], walk = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) if (walk.currentNode.data.trim()) found.push(walk.currentNode);
    return found;
};
const box = node => { const range = document.createRange(); range.selectNodeContents(node); return range.getBoundingClientRect(); };

return {
    kernel: () => panel().sessionContext?.session?.kernel?.status,
    state: () => panel().content.model.toJSON().cells,
    cells: () => panel().content.widgets.map(w => w.model.type == 'code' ? w.model.executionCount : null),
    below: at => all(panel().content.widgets[at].outputArea.node, '.jp-OutputArea-output').map(o => o.innerText.trim()).join('\n'),
    waiting: () => all(notebook(), '.jp-InputPrompt').filter(p => p.textContent.includes('*')).length,
    scroll: () => all(panel().node, '.jp-WindowedPanel-outer')[0],
    theme: () => document.body.getAttribute('data-jp-theme-name'),
    count: () => cards().length,
    dim: () => cards().flatMap(card => texts(card).map(t => [contrast(t.parentElement), t.data.trim()]))
                      .filter(([ratio]) => ratio < 4.5),
    letters: () => cards().flatMap(texts).length,
    // The rows of each card that have a name: name, verdict, bytes.
    rows: () => all(notebook(), '.jp-Cell').map(cell => all(cell, '.jp-OutputArea-output table tr')
        .map(tr => Array.from(tr.cells)).filter(c => c.length == 5 && c[0].tagName == 'TD')
        .map(c => [c[0].innerText.trim(), c[1].innerText.trim(), c[4].innerText.trim()])),
    // What sticks out of its output, is not to be seen, or is cut off.
    outside: () => cards().filter(card => {
        const output = card.closest('.jp-OutputArea-output'), area = card.closest('.jp-OutputArea');
        const a = card.getBoundingClientRect(), o = area.getBoundingClientRect();
        const inside = a.left >= o.left && a.right <= o.right + 0.5 && a.top >= o.top - 0.5 && a.bottom <= o.bottom + 0.5;
        const whole = output.scrollWidth <= output.clientWidth + 1 && output.scrollHeight <= output.clientHeight + 1;
        return !(a.width > 150 && a.height > 30 && inside && whole && card.checkVisibility({ checkOpacity: true }) &&
                 texts(card).every(t => { const b = box(t); return b.width > 0 && b.left >= a.left && b.right <= a.right + 1; }));
    }).map(card => card.innerText),
    // Where columns begin: heads, cells below them, and the rows of whole numbers.
    crooked: () => cards().flatMap(card => {
        const rows = Array.from(card.rows, tr => Array.from(tr.cells)), heads = rows[0].map(c => c.getBoundingClientRect());
        const wrong = (cell, head, side) => Math.abs(cell.getBoundingClientRect()[side] - head[side]) > 0.5;
        const begins = (cell, head) => texts(cell).length && Math.abs(box(texts(cell)[0]).left - head.left) > 0.5;
        return rows.slice(1).flatMap(c => {
            if (c.length == 5) return c.filter((cell, i) => wrong(cell, heads[i], i < 4 ? 'left' : 'right'));
            if (c.length == 3) return [[c[1], heads[1]], [c[2], heads[3]]].filter(([cell, head]) => begins(cell, head)).map(p => p[0]);
            return [];
        }).map(cell => cell.innerText);
    }),
    numbers: () => cards().flatMap(card => Array.from(card.rows)).filter(tr => tr.cells.length == 3)
                          .map(tr => [tr.cells[1].innerText, tr.cells[2].innerText]),
    // All that a style can change, to compare two renderings.
    drawn: () => cards().map(card => all(card, 'td, th, span, b').map(e => {
        const s = getComputedStyle(e), b = e.getBoundingClientRect();
        return [e.tagName, e.innerText, s.color, s.backgroundColor, s.border, s.borderRadius, s.fontSize, s.opacity, s.textAlign,
                Math.round(b.width), Math.round(b.height)].join(' ');
    })),
};
})();
"""


class Page:
    def __init__(self, browser, lab, size=(1180, 900)):
        self.lab = lab
        self.size = size
        self.page = browser.new_page(viewport={"width": size[0], "height": size[1]})
        self.problems = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))

    def look(self, what, *arguments):
        return self.page.evaluate("([what, arguments]) => window.look[what](...arguments)", [what, arguments])

    def until(self, expression, seconds=60):
        self.page.wait_for_function(expression, timeout=1000 * seconds)

    # ---- going somewhere
    def go(self, path):
        self.page.goto("%s?reset&token=%s" % (self.lab.url("lab" + path), self.lab.token))
        self.page.evaluate(LOOK)

    def open(self, notebook):
        self.go("/tree/" + notebook)
        self.until("() => window.jupyterapp?.shell?.currentWidget?.content?.widgets?.length && look.kernel() == 'idle'")

    def launch(self, name):
        """A new notebook from the launcher's card."""
        self.page.click('.jp-LauncherCard[data-category="Notebook"][title*="%s"]' % name)
        self.until("() => window.jupyterapp.shell.currentWidget?.content?.widgets?.length && look.kernel() == 'idle'")
        self.edit_last()

    def edit_last(self):
        """The cursor into the last cell, which is emptied."""
        self.page.locator(".jp-Notebook .jp-Cell .cm-content").last.click()
        self.press("Control+a")
        self.press("Delete")

    # ---- doing something
    def command(self, name, **arguments):
        self.page.evaluate("([name, arguments]) => { window.jupyterapp.commands.execute(name, arguments) }", [name, arguments])

    def press(self, keys):
        self.page.keyboard.press(keys)

    def type(self, text):
        self.page.keyboard.insert_text(text)

    def run(self, code):
        """Types a cell below what there is and runs it; its number among the cells when it is done."""
        at = len(self.look("cells")) - 1
        self.type(code)
        self.press("Shift+Enter")
        self.idle(at)
        return at

    def idle(self, at=None):
        self.until("at => look.kernel() == 'idle' && !look.waiting() && (at === null || look.cells()[at] !== null)".replace(
            "at =>", "() => { const at = %s; return" % ("null" if at is None else at)) + " }")

    def theme(self, name):
        self.command("apputils:change-theme", theme=name)
        self.until("() => look.theme() == '%s'" % name)
        self.settle()

    def settle(self):
        """Until nothing has moved for a few frames."""
        self.page.evaluate("""async () => {
            const picture = () => { const s = look.scroll(); return [s?.scrollHeight, s?.clientWidth, look.count()].join(); };
            for (let same = 0, last = ''; same < 10; last = picture()) {
                await new Promise(done => requestAnimationFrame(done));
                same = picture() == last ? same + 1 : 0;
            }
        }""")

    def resize(self, width, height):
        self.page.set_viewport_size({"width": width, "height": height})
        self.settle()

    # ---- what a cell shows
    def outputs(self, at):
        return self.look("state")[at]["outputs"]

    def text(self, at):
        """What stands below a cell, as it is on the page."""
        return self.look("below", at)

    def picture(self, path, whole=True):
        if whole:                                       # as high as the notebook is
            tall = self.page.evaluate("() => look.scroll().scrollHeight") + 140
            self.resize(self.size[0], min(max(tall, self.size[1]), 12000))
            self.page.evaluate("() => { look.scroll().scrollTop = 0 }")
            self.settle()
        self.page.screenshot(path=path)
        if whole:
            self.resize(*self.size)

    def wait(self, good, seconds=30):
        """The first true answer of `good`."""
        until = time.monotonic() + seconds
        while not (answer := good()):
            if time.monotonic() > until:
                raise TimeoutError("it did not happen within %d seconds" % seconds)
            self.page.wait_for_timeout(50)
        return answer
