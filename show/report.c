/* report.c - labelled lines as text and as a table. */
#include "show/report.h"
#include <string.h>

#define MONO "font-family:Menlo,Consolas,DejaVu Sans Mono,monospace;font-size:12px"
#define CELL "border:0;padding:2px 7px 2px 0;text-align:left;vertical-align:top"
#define ROW  "<tr style=\"background:transparent\">"

void report_begin(Report *report, const Layout *layout, Text *text, Text *html, int labels)
{
    *report = (Report){ layout, text, html, labels };
    if (html)
        text_put(html, "<table style=\"border-collapse:separate;border-spacing:0;padding-left:8px;border-left:3px solid #999;margin:4px 0;"
                       "font-size:13px;line-height:1.5;max-width:640px;table-layout:auto\">\n<tbody>\n");
}

void report_end(Report *report)
{
    if (report->html)
        text_put(report->html, "</tbody>\n</table>\n");
}

void report_head(Report *report, const char *name, const Spot *spot, const char *facts)
{
    Line line = { report->text, report->layout, 0 };
    line_put(&line, STYLE_BOLD, name);
    line_put(&line, STYLE_PLAIN, "  ");
    line_put(&line, STYLE_PLAIN, facts);
    line_end(&line);
    if (!report->html)
        return;
    text_put(report->html, ROW "<td colspan=\"2\" style=\"" CELL "\"><b><span style=\"" MONO "\">");
    html_text(report->html, name, strlen(name));
    text_put(report->html, "</span></b> &nbsp; ");
    if (spot)
        html_chip(report->html, spot);
    text_put(report->html, " &nbsp; ");
    html_text(report->html, facts, strlen(facts));
    text_put(report->html, "</td></tr>\n");
}

/* What fits in `room` columns, ended at a blank where there is one: bytes of `s`. */
static size_t fit_words(const Layout *layout, const char *s, int room)
{
    if (line_width(layout, s) <= room)
        return strlen(s);
    size_t most = text_fit(s, strlen(s), room), n = most;
    while (n && s[n] != ' ')
        n--;
    return n ? n : most ? most : 1;
}

void report_line(Report *report, const char *label, const char *what)
{
    Line line = { report->text, report->layout, 0 };
    int room = report->layout->width - report->labels;
    line_put(&line, STYLE_FAINT, label);
    for (const char *s = what; ; ) {
        Text part = { 0 };
        size_t n = fit_words(report->layout, s, room < 20 ? 20 : room);
        text_add(&part, s, n);
        line_to(&line, report->labels, *label ? 1 : 0);
        line_put(&line, STYLE_PLAIN, text_end(&part) ? part.s : "");
        line_end(&line);
        text_free(&part);
        s += n;
        while (*s == ' ')
            s++;
        if (!*s)
            break;
    }
    if (!report->html)
        return;
    text_put(report->html, ROW "<td style=\"" CELL ";opacity:.7;white-space:nowrap\">");
    html_text(report->html, label, strlen(label));
    text_put(report->html, "</td><td style=\"" CELL "\">");
    html_text(report->html, what, strlen(what));
    text_put(report->html, "</td></tr>\n");
}

void report_section(Report *report, const char *title)
{
    Line line = { report->text, report->layout, 0 };
    text_char(report->text, '\n');
    line_put(&line, STYLE_PLAIN, title);
    line_end(&line);
    if (!report->html)
        return;
    text_put(report->html, ROW "<td colspan=\"2\" style=\"" CELL ";padding-top:8px\"><b>");
    html_text(report->html, title, strlen(title));
    text_put(report->html, "</b></td></tr>\n");
}

/* The bytes of the first `columns` columns. */
static size_t bytes_of(const char *s, int columns)
{
    size_t n = 0;
    while (s[n] && text_width(s, n) < columns)
        for (n++; ((unsigned char)s[n] & 0xC0) == 0x80; n++)
            continue;
    return n;
}

void report_drawn(Report *report, const char *drawn, int from, int painted, int color)
{
    Line line = { report->text, report->layout, 0 };
    line_put(&line, STYLE_PLAIN, drawn);
    line_end(&line);
    if (!report->html)
        return;
    size_t n = strlen(drawn), a = painted ? bytes_of(drawn, from) : n, b = painted ? bytes_of(drawn, from + painted) : n;
    text_put(report->html, ROW "<td colspan=\"2\" style=\"" CELL ";padding-top:0;padding-bottom:0;white-space:pre;" MONO "\">");
    html_text(report->html, drawn, a);
    if (b > a) {
        text_print(report->html, "<span style=\"color:%s\">", storage_ground(color));
        html_text(report->html, drawn + a, b - a);
        text_put(report->html, "</span>");
    }
    html_text(report->html, drawn + b, n - b);
    text_put(report->html, "</td></tr>\n");
}
