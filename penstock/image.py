"""`tf.image`: images of other sizes, parts of images, flips and colours."""

from .api.missing_names import add_hints as _add_hints
from .api.public_names import show_public_names_only as _show_public_names_only
from .ops.images.area_resizing import resize_area
from .ops.images.box_crops import crop_and_resize
from .ops.images.box_drawing import draw_bounding_boxes
from .ops.images.box_suppression import (
    non_max_suppression, non_max_suppression_overlaps, non_max_suppression_padded, non_max_suppression_with_scores,
)
from .ops.images.distorted_boxes import sample_distorted_bounding_box
from .ops.images.glimpses import extract_glimpse
from .ops.images.image_colors import (
    adjust_brightness, adjust_contrast, convert_image_dtype, grayscale_to_rgb, per_image_standardization,
    random_brightness, random_contrast, rgb_to_grayscale, rgb_to_yiq, rgb_to_yuv, yiq_to_rgb, yuv_to_rgb,
)
from .ops.images.image_file_calls import decode_jpeg, encode_jpeg
from .ops.images.image_files import decode_bmp, decode_gif, decode_image, decode_png, encode_png
from .ops.images.image_frames import (
    central_crop, crop_to_bounding_box, flip_left_right, flip_up_down, pad_to_bounding_box, random_flip_left_right,
    random_flip_up_down, resize_image_with_crop_or_pad, resize_image_with_crop_or_pad as resize_with_crop_or_pad, rot90,
    transpose_image as transpose, transpose_image,
)
from .ops.images.image_hues import (
    adjust_gamma, adjust_hue, adjust_saturation, hsv_to_rgb, random_hue, random_saturation, rgb_to_hsv,
)
from .ops.images.image_quality import psnr, ssim, ssim_multiscale
from .ops.images.image_slopes import image_gradients, sobel_edges, total_variation
from .ops.images.jpeg_quality import adjust_jpeg_quality, decode_and_crop_jpeg, random_jpeg_quality
from .ops.images.jpeg_shape import extract_jpeg_shape, is_jpeg
from .ops.images.resizing_calls import ResizeMethod, resize_images as resize, resize_image_with_pad, resize_images
from .ops.images.resizing_ops import resize_bicubic, resize_bilinear, resize_nearest_neighbor
from .ops.images.suppression_by_class import combined_non_max_suppression
from .ops.pooling.image_patches import extract_image_patches, extract_image_patches as extract_patches
from .ops.random.random_shuffle import random_crop

__all__ = [
    "ResizeMethod", "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_jpeg_quality",
    "adjust_saturation", "central_crop", "combined_non_max_suppression", "convert_image_dtype", "crop_and_resize",
    "crop_to_bounding_box", "decode_and_crop_jpeg", "decode_bmp", "decode_gif", "decode_image", "decode_jpeg",
    "decode_png", "draw_bounding_boxes", "encode_jpeg", "encode_png", "extract_glimpse", "extract_image_patches",
    "extract_jpeg_shape", "extract_patches", "flip_left_right", "flip_up_down", "grayscale_to_rgb", "hsv_to_rgb",
    "image_gradients", "is_jpeg", "non_max_suppression", "non_max_suppression_overlaps", "non_max_suppression_padded",
    "non_max_suppression_with_scores", "pad_to_bounding_box", "per_image_standardization", "psnr", "random_brightness",
    "random_contrast", "random_crop", "random_flip_left_right", "random_flip_up_down", "random_hue",
    "random_jpeg_quality", "random_saturation", "resize", "resize_area", "resize_bicubic", "resize_bilinear",
    "resize_image_with_crop_or_pad", "resize_image_with_pad", "resize_images", "resize_nearest_neighbor",
    "resize_with_crop_or_pad", "rgb_to_grayscale", "rgb_to_hsv", "rgb_to_yiq", "rgb_to_yuv", "rot90",
    "sample_distorted_bounding_box", "sobel_edges", "ssim", "ssim_multiscale", "total_variation", "transpose",
    "transpose_image", "yiq_to_rgb", "yuv_to_rgb",
]  # fmt: skip

_add_hints(__name__)
_show_public_names_only(__name__)
