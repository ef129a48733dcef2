/* SPDX-License-Identifier: MIT */
/* vtp.c: points as .vtp, the XML file of VTK for PolyData, with raw appended data (VTK's "VTK
 * XML formats", version 1.0). The XML names each array and its offset; behind <AppendedData
 * encoding="raw">_ lie the arrays as they are in memory, each after its length in bytes as a
 * UInt64. One poly-vertex holds all points, so that ParaView shows them.
 *
 * Index attributes become Int32 arrays; their strings stand as a string array NAME_strings in
 * the field data, where the details are as well. A detail `time` also appears as TimeValue,
 * which ParaView takes for the time of the file. */
#include "points/vtp.h"
#include "base/messages.h"
#include "base/text.h"

#include <string.h>

typedef struct layout {
    firn_text xml;
    uint64_t offset; /* of the next array behind the underscore */
} layout;

static const char *vtk_type(const firn_attribute *attribute)
{
    return attribute->type == FIRN_ATTRIBUTE_FLOAT || attribute->type == FIRN_ATTRIBUTE_VECTOR
               ? "Float32"
               : "Int32";
}

static uint64_t bytes_of(const firn_attribute *attribute, int64_t n)
{
    return (uint64_t)n * (uint64_t)attribute->n_components * 4;
}

static void add_array(layout *l, const char *type, const char *name, int n_components,
                      int64_t n_tuples, uint64_t bytes)
{
    firn_text_add(&l->xml, "<DataArray type=\"%s\" Name=\"", type);
    firn_text_add_xml(&l->xml, name);
    firn_text_add(&l->xml, "\" NumberOfComponents=\"%d\"", n_components);
    if (n_tuples >= 0) firn_text_add(&l->xml, " NumberOfTuples=\"%lld\"", (long long)n_tuples);
    firn_text_add(&l->xml, " format=\"appended\" offset=\"%llu\"/>\n",
                  (unsigned long long)l->offset);
    l->offset += 8 + bytes;
}

/* Strings are written as VTK does: the codes of their bytes, each string ended by 0. */
static void add_strings(layout *l, const firn_attribute *attribute)
{
    firn_text_add(&l->xml, "<DataArray type=\"String\" Name=\"");
    firn_text_add_xml(&l->xml, attribute->name);
    firn_text_add(&l->xml, "_strings\" NumberOfTuples=\"%d\" format=\"ascii\">\n",
                  attribute->n_strings);
    for (int s = 0; s < attribute->n_strings; s++) {
        for (const unsigned char *p = (const unsigned char *)attribute->strings[s]; *p; p++)
            firn_text_add(&l->xml, "%d ", *p);
        firn_text_add(&l->xml, "0\n");
    }
    firn_text_add(&l->xml, "</DataArray>\n");
}

static void add_field_data(layout *l, const firn_points *points)
{
    firn_text_add(&l->xml, "<FieldData>\n");
    const firn_attribute *time = firn_points_find_detail(points, "time");
    if (time && time->type == FIRN_ATTRIBUTE_FLOAT)
        firn_text_add(&l->xml,
                      "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                      "format=\"ascii\">\n"
                      "%.9g\n</DataArray>\n",
                      time->data.f[0]);
    for (int a = 0; a < points->n_details; a++) {
        const firn_attribute *detail = &points->details[a];
        add_array(l, vtk_type(detail), detail->name, detail->n_components, 1, bytes_of(detail, 1));
        if (detail->type == FIRN_ATTRIBUTE_INDEX) add_strings(l, detail);
    }
    for (int a = 0; a < points->n_attributes; a++)
        if (points->attributes[a].type == FIRN_ATTRIBUTE_INDEX)
            add_strings(l, &points->attributes[a]);
    firn_text_add(&l->xml, "</FieldData>\n");
}

/* The order of the arrays here is the order in which put_data writes them. */
static void add_layout(layout *l, const firn_points *points, const firn_attribute *P)
{
    firn_text_add(&l->xml, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                           "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n");
    add_field_data(l, points);
    firn_text_add(&l->xml,
                  "<Piece NumberOfPoints=\"%lld\" NumberOfVerts=\"%d\" NumberOfLines=\"0\" "
                  "NumberOfStrips=\"0\" "
                  "NumberOfPolys=\"0\">\n<PointData>\n",
                  (long long)points->n, points->n > 0);
    for (int a = 0; a < points->n_attributes; a++) {
        const firn_attribute *attribute = &points->attributes[a];
        if (attribute != P)
            add_array(l, vtk_type(attribute), attribute->name, attribute->n_components, -1,
                      bytes_of(attribute, points->n));
    }
    firn_text_add(&l->xml, "</PointData>\n<Points>\n");
    add_array(l, "Float32", "Points", 3, -1, bytes_of(P, points->n));
    firn_text_add(&l->xml, "</Points>\n<Verts>\n");
    add_array(l, "Int64", "connectivity", 1, -1, (uint64_t)points->n * 8);
    add_array(l, "Int64", "offsets", 1, -1, points->n > 0 ? 8 : 0);
    firn_text_add(&l->xml, "</Verts>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
}

static void put_column(firn_file_writer *writer, const firn_attribute *attribute, int64_t n)
{
    uint64_t bytes = bytes_of(attribute, n);
    firn_file_write(writer, &bytes, 8);
    firn_file_write(writer, attribute->data.f, bytes);
}

static void put_data(firn_file_writer *writer, const firn_points *points, const firn_attribute *P)
{
    for (int a = 0; a < points->n_details; a++) put_column(writer, &points->details[a], 1);
    for (int a = 0; a < points->n_attributes; a++)
        if (&points->attributes[a] != P) put_column(writer, &points->attributes[a], points->n);
    put_column(writer, P, points->n);
    uint64_t bytes = (uint64_t)points->n * 8;
    firn_file_write(writer, &bytes, 8);
    int64_t indices[4096];
    for (int64_t first = 0; first < points->n; first += 4096) {
        int n = points->n - first < 4096 ? (int)(points->n - first) : 4096;
        for (int i = 0; i < n; i++) indices[i] = first + i;
        firn_file_write(writer, indices, (size_t)n * 8);
    }
    bytes = points->n > 0 ? 8 : 0;
    firn_file_write(writer, &bytes, 8);
    firn_file_write(writer, &points->n, bytes);
}

firn_status firn_vtp_write(const char *path, const firn_points *points, firn_file_receipt *receipt,
                           firn_messages *messages)
{
    const firn_attribute *P = firn_points_find(points, "P");
    if (!P || P->n_components != 3 || P->type == FIRN_ATTRIBUTE_INT ||
        P->type == FIRN_ATTRIBUTE_INDEX)
        return firn_messages_add(messages, FIRN_REFUSED,
                                 "%s: attribute P (three floats) is missing", path);
    layout l = {0};
    add_layout(&l, points, P);
    if (l.xml.has_failed) {
        firn_text_clear(&l.xml);
        return firn_messages_no_memory(messages, "%s", path);
    }
    firn_file_writer *writer = firn_file_create(path, 0, messages);
    if (!writer) {
        firn_text_clear(&l.xml);
        return firn_file_failure(messages);
    }
    firn_file_write(writer, l.xml.data, l.xml.n);
    firn_text_clear(&l.xml);
    put_data(writer, points, P);
    firn_file_print(writer, "\n</AppendedData>\n</VTKFile>\n");
    return firn_file_commit(writer, receipt, messages);
}
