/* SPDX-License-Identifier: MIT */
/* plot_svg.c: the canvas of SVG 1.1. No scripts, fonts or outside references: the element is the
 * same in a browser, a report and an editor. Widths of letters are those of a common sans serif,
 * in units of the font size, right to a few per cent, enough for the layout. */
#include "plot/plot.h"
#include "base/messages.h"

#include <string.h>

static void begin(void *user, double width, double height)
{
    firn_text *svg = user;
    firn_text_add(svg,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                  "viewBox=\"0 0 %.0f %.0f\" "
                  "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
                  width, height, width, height);
}

static void lines(void *user, int n, const double *xy, unsigned color, double width,
                  firn_plot_style style)
{
    firn_text *svg = user;
    const char *dash = style == FIRN_PLOT_DASHED   ? " stroke-dasharray=\"7 4\""
                       : style == FIRN_PLOT_DOTTED ? " stroke-dasharray=\"2 3\""
                                                   : "";
    firn_text_add(svg,
                  "<polyline fill=\"none\" stroke=\"#%06x\" stroke-width=\"%g\"%s "
                  "stroke-linejoin=\"round\" points=\"",
                  color, width, dash);
    for (int i = 0; i < n; i++)
        firn_text_add(svg, "%s%.2f,%.2f", i ? " " : "", xy[2 * i], xy[2 * i + 1]);
    firn_text_add(svg, "\"/>\n");
}

static void band(void *user, int n, const double *xy, unsigned color)
{
    firn_text *svg = user;
    firn_text_add(svg, "<polygon fill=\"#%06x\" fill-opacity=\"0.22\" points=\"", color);
    for (int i = 0; i < n; i++)
        firn_text_add(svg, "%s%.2f,%.2f", i ? " " : "", xy[2 * i], xy[2 * i + 1]);
    firn_text_add(svg, "\"/>\n");
}

static void rectangle(void *user, double x, double y, double width, double height, unsigned color)
{
    firn_text_add(user,
                  "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%06x\"/>\n",
                  x, y, width, height, color);
}

static void marker(void *user, double x, double y, double r, int shape, unsigned color)
{
    double e = 0.9 * r, d = 1.3 * r;
    switch (shape % 4) {
    case 0:
        firn_text_add(user, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"#%06x\"/>\n", x, y,
                      r, color);
        break;
    case 1: rectangle(user, x - e, y - e, 2 * e, 2 * e, color); break;
    case 2:
        firn_text_add(user, "<polygon points=\"%.2f,%.2f %.2f,%.2f %.2f,%.2f\" fill=\"#%06x\"/>\n",
                      x, y - d, x + d, y + e, x - d, y + e, color);
        break;
    default:
        firn_text_add(
            user, "<polygon points=\"%.2f,%.2f %.2f,%.2f %.2f,%.2f %.2f,%.2f\" fill=\"#%06x\"/>\n",
            x, y - d, x + d, y, x, y + d, x - d, y, color);
    }
}

static void text(void *user, double x, double y, const char *string, double size, int anchor,
                 int is_bold, unsigned color)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    if (!string[0]) return;
    firn_text_add(
        user, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%g\" text-anchor=\"%s\"%s fill=\"#%06x\">",
        x, y, size, anchors[anchor + 1], is_bold ? " font-weight=\"bold\"" : "", color);
    firn_text_add_xml(user, string);
    firn_text_add(user, "</text>\n");
}

static double text_width(void *user, const char *string, double size, int is_bold)
{
    (void)user;
    double width = 0;
    for (const char *c = string; *c; c++) {
        if (strchr("ijl.,:;'|!ft ()[]", *c))
            width += 0.32;
        else if (strchr("mwMW%@", *c))
            width += 0.87;
        else if (*c >= 'A' && *c <= 'Z')
            width += 0.69;
        else if (((unsigned char)*c & 0xc0) != 0x80)
            width += 0.565; /* continuation bytes of UTF-8 have no width */
    }
    return width * size * (is_bold ? 1.08 : 1);
}

firn_status firn_plot_svg(const firn_figure *figure, firn_text *svg, firn_messages *messages)
{
    firn_canvas canvas = {svg, begin, lines, band, marker, rectangle, text, text_width};
    firn_status status = firn_plot_draw(figure, &canvas, messages);
    firn_text_add(svg, "</svg>\n");
    if (status == FIRN_OK && svg->has_failed) return firn_messages_no_memory(messages, "figure");
    return status;
}
