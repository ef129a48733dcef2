/* SPDX-License-Identifier: MIT */
/* scene_schema_output.c: the tables of scene_schema.h for what comes out of a run: outputs,
 * checkpoints, probes, expectations. */
#include "scene/scene_schema.h"
#include "scene/schema_rows.h"

#include <math.h>

static const firn_schema_key output_options[] = {
    TEXT(firn_output_def, "format", format, "bgeo", FIRN_SCHEMA_REQUIRED,
         "File format, one of `firn help formats`.", .sought = "type extension file_type"),
    TEXT(firn_output_def, "attributes", attributes, "", FIRN_SCHEMA_WORDS,
         "Attributes, as a list or separated by blanks (`firn help attributes`); empty: P v id "
         "pscale material Cd, and Jp where a law has it.",
         .sought = "channels attribs"),
    INTEGER(firn_output_def, "every", every, "1", 1, 1e9, 0, "Interval in frames.",
            .sought = "interval step frame_step"),
    INTEGER(firn_output_def, "substeps", substeps, "1", 1, 1000, 0,
            "Files per frame, equally spaced in time.",
            .sought = "subframes sub_frames motion_blur"),
    INTEGER(firn_output_def, "nth", nth, "1", 1, 1e9, 0, "Only every nth particle."),
};
const firn_schema_section firn_schema_output =
    END("outputs", firn_output_def, 0, 0, output_options,
        "Output files. Default: one bgeo file per frame; []: none.");

static const firn_schema_key checkpoint_options[] = {
    INTEGER(firn_checkpoint_def, "every_frames", every_frames, "0", 0, 1e9, 0,
            "Interval in frames; 0: none."),
    REAL(firn_checkpoint_def, "every_seconds", every_seconds, "s", "60", 0, 1e9, 0,
         "Interval in wall-clock time, the first one after the first frame; longer where "
         "checkpoints "
         "would cost more than 3 % of the run. 0: none."),
    INTEGER(firn_checkpoint_def, "keep", keep, "2", 1, 1000, 0,
            "Number of checkpoints that are kept."),
};
const firn_schema_section firn_schema_checkpoint =
    END("checkpoints", firn_checkpoint_def, 0, 0, checkpoint_options,
        "Complete states, from which `firn resume` continues.");

static const firn_schema_key probe_options[] = {
    TEXT(firn_probe_def, "name", name, "", FIRN_SCHEMA_REQUIRED, "Name in probes.csv."),
    TEXT(firn_probe_def, "measure", measure, "", FIRN_SCHEMA_REQUIRED,
         "Measure, one of `firn help measures`."),
    TEXT(firn_probe_def, "of", body, "", 0, "Body, material, collider or grip; empty: everything."),
    WORD(firn_probe_def, "axis", axis, "x y z", "x", "Axis of a measure that has one."),
    TEXT(firn_probe_def, "attribute", attribute, "", 0,
         "Attribute of mean_of, least_of and greatest_of."),
    INTEGER(firn_probe_def, "component", component, "0", 0, 8, 0,
            "Component of the attribute, from 0."),
    LIST(firn_probe_def, "region", NULL, shapes, n_shapes, &firn_schema_shape,
         "Only particles that start inside this shape, wherever they move."),
    REAL(firn_probe_def, "place", place, "m", "0 0 0", -1e6, 1e6, 0,
         "Only particles that are within `radius` of this point."),
    REAL(firn_probe_def, "radius", radius, "m", "0", 0, 1e6, 0,
         "Distance from `place`; 0: wherever they are."),
    {.key = "particle",
     .type = FIRN_SCHEMA_INT64,
     .n = 1,
     .offset = offsetof(firn_probe_def, particle),
     .fallback = "-1",
     .min = -1,
     .max = 4e9,
     .doc = "Only the particle of this id; -1: all."},
    REAL(firn_probe_def, "every", every, "s", "0", 0, 1e9, 0,
         "Interval of the samples, linear between the steps before and after; 0: after every step. "
         "No step is cut for it. Measures of particles read all of them for a sample."),
};
const firn_schema_section firn_schema_probe =
    END("probes", firn_probe_def, 1, 1, probe_options,
        "Measures that are sampled between frames too, into probes.csv of the shot: probe, time, "
        "value.");

static const firn_schema_key expect_options[] = {
    TEXT(firn_expect_def, "measure", measure, "", FIRN_SCHEMA_REQUIRED,
         "Measure, one of `firn help measures`."),
    {.key = "of",
     .alias = "body",
     .type = FIRN_SCHEMA_TEXT,
     .n = 1,
     .offset = offsetof(firn_expect_def, body),
     .size = FIRN_NAME,
     .fallback = "",
     .doc = "Body, material, collider or grip; empty: everything."},
    WORD(firn_expect_def, "axis", axis, "x y z", "x", "Axis of a measure that has one."),
    TEXT(firn_expect_def, "attribute", attribute, "", 0,
         "Attribute of mean_of, least_of and greatest_of."),
    INTEGER(firn_expect_def, "component", component, "0", 0, 8, 0,
            "Component of the attribute, from 0."),
    LIST(firn_expect_def, "region", NULL, shapes, n_shapes, &firn_schema_shape,
         "Only particles that start inside this shape, wherever they move."),
    {.key = "over",
     .type = FIRN_SCHEMA_WORD,
     .n = 1,
     .offset = offsetof(firn_expect_def, over),
     .words = "at_time max min mean change drift period",
     .former_words = "moment=at_time",
     .fallback = "at_time",
     .doc =
         "Which value is compared: that at `time`; or of all frames the greatest, the least, the "
         "mean, the last minus the first, the greatest deviation from the first, or the mean "
         "period of crossings of the middle."},
    REAL(firn_expect_def, "from", from, "s", "0", 0, 1e9, 0,
         "Start of the interval for values over time."),
    REAL(firn_expect_def, "time", time, "s", "inf", 0, INFINITY, FIRN_SCHEMA_INFINITE,
         "Time of the value, or end of the interval; inf: the end of the run. Measured at the "
         "first frame at or after it."),
    REAL(firn_expect_def, "value", value, "", "inf", -INFINITY, INFINITY,
         FIRN_SCHEMA_OF_MEASURE | FIRN_SCHEMA_INFINITE,
         "Expected value; inf: only limits are given."),
    REAL(firn_expect_def, "tolerance", tolerance, "1", "0", 0, 1e9, 0,
         "Allowed deviation relative to the expected value, or to `scale` where that is larger."),
    REAL(firn_expect_def, "scale", scale, "", "0", 0, INFINITY, FIRN_SCHEMA_OF_MEASURE,
         "Reference of the tolerance where the expected value is zero or small."),
    REAL(firn_expect_def, "at_least", at_least, "", "-inf", -INFINITY, INFINITY,
         FIRN_SCHEMA_INFINITE | FIRN_SCHEMA_OF_MEASURE, "Lower limit, instead of value."),
    REAL(firn_expect_def, "at_most", at_most, "", "inf", -INFINITY, INFINITY,
         FIRN_SCHEMA_INFINITE | FIRN_SCHEMA_OF_MEASURE, "Upper limit, instead of value."),
    TEXT(firn_expect_def, "source", source, "", FIRN_SCHEMA_REQUIRED,
         "Source of the expected value."),
};
const firn_schema_section firn_schema_expect = END("expect", firn_expect_def, 0, 0, expect_options,
                                                   "Expected values with sources and tolerances.");

/* ---------------------------------------------------------------- defaults */

DEFAULT_FUNCTION(output, firn_schema_output)
DEFAULT_FUNCTION(checkpoint, firn_schema_checkpoint)
DEFAULT_FUNCTION(probe, firn_schema_probe)
DEFAULT_FUNCTION(expect, firn_schema_expect)
